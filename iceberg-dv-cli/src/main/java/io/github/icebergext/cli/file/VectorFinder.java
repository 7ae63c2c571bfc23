package io.github.icebergext.cli.file;

import io.github.icebergext.cli.text.CommandException;
import io.github.icebergext.dv.DeletionVectorBlob;
import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.Container;
import io.github.icebergext.puffin.PuffinFileReader;
import io.github.icebergext.puffin.PuffinFormatException;
import io.github.icebergext.puffin.RangeReader;
import io.github.icebergext.puffin.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.puffin.BlobMetadata;

/** Finds the deletion vectors of one file, whatever holds them. */
public final class VectorFinder {
  private static final int HEAD_BYTES = 16;

  /** Bytes around what a frame's length counts: the length itself and the checksum. */
  private static final int FRAME_BYTES = 8;

  private final String name;
  private final InputFile file;
  private final RangeReader reader;
  private final long size;
  private final Container container;

  public VectorFinder(String name, InputFile file, RangeReader reader) {
    this.name = name;
    this.file = file;
    this.reader = reader;
    this.size = file.getLength();
    int ends = (int) Math.min(HEAD_BYTES, size);
    this.container =
        Container.detect(
            ByteBuffer.wrap(reader.read(new ByteRange(0, ends))),
            ByteBuffer.wrap(reader.read(new ByteRange(size - ends, ends))),
            size);
  }

  public Container container() {
    return container;
  }

  /**
   * Returns all vectors of the file.
   *
   * @throws PuffinFormatException if the file breaks the rules of what it seems to be
   * @throws CommandException if it holds no vectors
   */
  public List<VectorPlace> all() {
    List<VectorPlace> places =
        switch (container) {
          case PUFFIN -> blobs();
          case BARE_DELETION_VECTOR -> List.of(new VectorPlace(0, new ByteRange(0, size), null));
          case DELTA_OR_PAIMON -> frames();
          default ->
              throw new CommandException(
                  name + ": holds no deletion vectors: it is " + container.description());
        };
    return places;
  }

  /**
   * Returns the vector with the index.
   *
   * @throws CommandException if there is none
   */
  public VectorPlace at(int index) {
    List<VectorPlace> places = all();
    return places.stream()
        .filter(place -> Integer.valueOf(index).equals(place.index()))
        .findFirst()
        .orElseThrow(
            () ->
                new CommandException(
                    name
                        + ": no deletion vector with index "
                        + index
                        + ", it has "
                        + places.stream().map(VectorPlace::index).toList()));
  }

  /**
   * Returns the vector that the range holds.
   *
   * @throws CommandException if the range passes the end of the file
   */
  public VectorPlace at(ByteRange range) {
    if (range.end() > size) {
      throw new CommandException(
          name
              + ": the range of offset "
              + range.offset()
              + " and length "
              + range.length()
              + " passes the end of the file at "
              + size);
    }
    return new VectorPlace(null, range, null);
  }

  private List<VectorPlace> blobs() {
    try (PuffinFileReader puffin = PuffinFileReader.read(file).withFileSize(size).build()) {
      List<BlobMetadata> blobs = puffin.footer().blobs();
      List<VectorPlace> places = new ArrayList<>();
      for (int i = 0; i < blobs.size(); i++) {
        BlobMetadata blob = blobs.get(i);
        if (DeletionVectorBlob.isDeletionVector(blob)) {
          ByteRange range = new ByteRange(blob.offset(), blob.length());
          places.add(
              new VectorPlace(i, range, DeletionVectorBlob.referencedDataFile(blob).orElse(null)));
        }
      }
      if (places.isEmpty()) {
        throw new CommandException(
            name + ": holds no deletion vectors, but " + typesOf(blobs) + " (see icedv inspect)");
      }
      return places;
    }
  }

  private static String typesOf(List<BlobMetadata> blobs) {
    Map<String, Integer> counts = new TreeMap<>();
    blobs.forEach(blob -> counts.merge(blob.type(), 1, Integer::sum));
    List<String> types = new ArrayList<>();
    counts.forEach((type, count) -> types.add(count + " of type " + type));
    return types.isEmpty() ? "no blobs at all" : String.join(", ", types);
  }

  private List<VectorPlace> frames() {
    List<VectorPlace> places = new ArrayList<>();
    long offset = 1;
    while (offset < size) {
      long length = frameLength(offset);
      if (length < FRAME_BYTES || length > size - offset) {
        throw new PuffinFormatException(
            Reason.VECTOR_LENGTH,
            "Cannot read frame at offset "
                + offset
                + " of "
                + name
                + ": it does not fit the file (actual "
                + length
                + " bytes, expected 8 to "
                + (size - offset)
                + ")");
      }
      places.add(new VectorPlace(places.size(), new ByteRange(offset, length), null));
      offset += length;
    }
    return places;
  }

  private long frameLength(long offset) {
    if (size - offset < Integer.BYTES) {
      return size - offset;
    }
    byte[] length = reader.read(new ByteRange(offset, Integer.BYTES));
    return ByteBuffer.wrap(length).getInt() + (long) FRAME_BYTES;
  }
}
