package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorCodec;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.FilePartition;
import io.github.icebergext.dv.internal.TargetFile;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.zip.CRC32;
import java.util.zip.CheckedOutputStream;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * Deleted positions that are not written yet: what one task of a job adds to a vector.
 *
 * <p>Tasks that may touch the same data files collect deletes in a {@link DeletionVectorWriter}
 * each, and send {@link DeletionVectorWriter#takePartial} to one place, where a writer {@linkplain
 * DeletionVectorWriter#delete(PartialDeletes) takes} all of them and flushes one vector a data
 * file. A task needs no previous deletes for that: {@link PreviousDeletes#none} will do.
 *
 * <p>Serializable through {@link #toBytes}. Immutable and thread-safe.
 */
public final class PartialDeletes implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final int MAGIC = 0x44565031; // DVP1
  private static final int NULL = -1;

  private final transient List<Entry> entries;

  private PartialDeletes(List<Entry> entries) {
    this.entries = entries;
  }

  private record Entry(
      String location,
      int specId,
      List<@Nullable ByteBuffer> partition,
      long recordCount,
      @Nullable Long dataSequenceNumber,
      DeletedPositions positions) {

    static Entry of(PendingDeletes deletes) {
      TargetFile file = deletes.file();
      return new Entry(
          file.location(),
          file.partition().spec().specId(),
          values(file.partition()),
          file.recordCount(),
          file.dataSequenceNumber(),
          deletes.positions());
    }

    private static List<@Nullable ByteBuffer> values(FilePartition partition) {
      List<@Nullable ByteBuffer> values = new ArrayList<>();
      List<Types.NestedField> fields = partition.spec().partitionType().fields();
      for (int i = 0; i < fields.size(); i++) {
        Type type = fields.get(i).type();
        Object value = partition.tuple().get(i, type.typeId().javaClass());
        values.add(value == null ? null : Conversions.toByteBuffer(type, value));
      }
      return values;
    }

    TargetFile file(Map<Integer, PartitionSpec> specs) {
      PartitionSpec spec = specs.get(specId);
      if (spec == null || spec.partitionType().fields().size() != partition.size()) {
        throw new IllegalArgumentException(
            "Cannot delete rows of "
                + location
                + ": the table has no partition spec "
                + specId
                + " with "
                + partition.size()
                + " fields");
      }
      FilePartition in = new FilePartition(spec, tuple(spec.partitionType()));
      return new TargetFile(location, in, recordCount, dataSequenceNumber);
    }

    private StructLike tuple(Types.StructType type) {
      PartitionData tuple = new PartitionData(type);
      for (int i = 0; i < partition.size(); i++) {
        ByteBuffer value = partition.get(i);
        if (value != null) {
          tuple.set(i, value(type.fields().get(i), value.duplicate()));
        }
      }
      return tuple;
    }

    private Object value(Types.NestedField field, ByteBuffer bytes) {
      try {
        Object value = Conversions.fromByteBuffer(field.type(), bytes);
        // Manifests cannot be written with the buffer of characters that it is otherwise.
        return value instanceof CharSequence ? value.toString() : value;
      } catch (RuntimeException e) { // Of many kinds, if they are the bytes of another type.
        throw new IllegalArgumentException(
            "Cannot delete rows of "
                + location
                + ": its value of partition field "
                + field.name()
                + " is no "
                + field.type(),
            e);
      }
    }
  }

  static PartialDeletes of(Collection<PendingDeletes> pending) {
    return new PartialDeletes(
        pending.stream()
            .filter(deletes -> !deletes.isEmpty())
            .map(Entry::of)
            .sorted(Comparator.comparing(Entry::location))
            .toList());
  }

  /** Tells whether no row is deleted. */
  public boolean isEmpty() {
    return entries.isEmpty();
  }

  /** Returns the number of data files of which rows are deleted. */
  public int dataFileCount() {
    return entries.size();
  }

  /** Passes on all deletes, in the order of the locations. */
  void forEach(
      Map<Integer, PartitionSpec> specs, BiConsumer<TargetFile, DeletedPositions> consumer) {
    entries.forEach(entry -> consumer.accept(entry.file(specs), entry.positions()));
  }

  /**
   * Returns these deletes as bytes: the same ones for the same deletes, in whatever order given.
   */
  public byte[] toBytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CRC32 checksum = new CRC32();
    try (DataOutputStream out = new DataOutputStream(new CheckedOutputStream(bytes, checksum))) {
      out.writeInt(MAGIC);
      out.writeInt(entries.size());
      for (Entry entry : entries) {
        write(entry, out);
      }
      out.writeInt((int) checksum.getValue());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void write(Entry entry, DataOutputStream out) throws IOException {
    write(ByteBuffer.wrap(entry.location().getBytes(StandardCharsets.UTF_8)), out);
    out.writeInt(entry.specId());
    out.writeInt(entry.partition().size());
    for (ByteBuffer value : entry.partition()) {
      write(value, out);
    }
    out.writeLong(entry.recordCount());
    Long sequenceNumber = entry.dataSequenceNumber();
    out.writeBoolean(sequenceNumber != null);
    out.writeLong(sequenceNumber == null ? 0 : sequenceNumber);
    write(DeletionVectorCodec.encode(entry.positions()), out);
  }

  private static void write(@Nullable ByteBuffer value, DataOutputStream out) throws IOException {
    if (value == null) {
      out.writeInt(NULL);
      return;
    }
    byte[] bytes = new byte[value.remaining()];
    value.duplicate().get(bytes);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static int checksum(ByteBuffer bytes) {
    CRC32 checksum = new CRC32();
    checksum.update(bytes);
    return (int) checksum.getValue();
  }

  /**
   * Returns the deletes that {@link #toBytes} made {@code bytes} of.
   *
   * @throws IllegalArgumentException if nothing of the kind made them, or they are damaged
   * @throws InvalidDeletionVectorException if a vector among them breaks the format
   */
  public static PartialDeletes fromBytes(byte[] bytes) {
    int end = bytes.length - Integer.BYTES;
    if (end < 2 * Integer.BYTES || ByteBuffer.wrap(bytes).getInt() != MAGIC) {
      throw invalid("they do not begin with DVP1");
    }
    // Partition values stay parts of it.
    ByteBuffer in = ByteBuffer.wrap(Arrays.copyOf(bytes, end));
    if (checksum(in.duplicate()) != ByteBuffer.wrap(bytes).getInt(end)) {
      throw invalid("their checksum is wrong");
    }
    in.getInt();
    try {
      return new PartialDeletes(readEntries(in));
    } catch (BufferUnderflowException | CharacterCodingException e) {
      throw new IllegalArgumentException("Cannot read partial deletes: they break off", e);
    }
  }

  private static List<Entry> readEntries(ByteBuffer in) throws CharacterCodingException {
    int count = length(in);
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      entries.add(readEntry(in));
    }
    if (in.hasRemaining()) {
      throw invalid(in.remaining() + " bytes are left after the last entry");
    }
    return List.copyOf(entries);
  }

  private static Entry readEntry(ByteBuffer in) throws CharacterCodingException {
    String location = StandardCharsets.UTF_8.newDecoder().decode(slice(in, length(in))).toString();
    int specId = in.getInt();
    int fields = length(in);
    List<@Nullable ByteBuffer> partition = new ArrayList<>();
    for (int i = 0; i < fields; i++) {
      int length = in.getInt();
      partition.add(length == NULL ? null : slice(in, length));
    }
    long recordCount = in.getLong();
    if (recordCount < TargetFile.UNKNOWN_COUNT) {
      throw invalid("the record count of " + location + " is " + recordCount);
    }
    boolean hasSequenceNumber = in.get() != 0;
    long sequenceNumber = in.getLong();
    DeletedPositions positions = DeletionVectorCodec.decode(slice(in, length(in)));
    return new Entry(
        location,
        specId,
        partition,
        recordCount,
        hasSequenceNumber ? sequenceNumber : null,
        positions);
  }

  /** Reads a count of things that take at least a byte each. */
  private static int length(ByteBuffer in) {
    int length = in.getInt();
    checkLeft(in, length);
    return length;
  }

  private static ByteBuffer slice(ByteBuffer in, int length) {
    checkLeft(in, length);
    ByteBuffer slice = in.slice(in.position(), length);
    in.position(in.position() + length);
    return slice;
  }

  private static void checkLeft(ByteBuffer in, int length) {
    if (length < 0 || length > in.remaining()) {
      throw invalid("a length is " + length + ", with " + in.remaining() + " bytes left");
    }
  }

  private static IllegalArgumentException invalid(String complaint) {
    return new IllegalArgumentException("Cannot read partial deletes: " + complaint);
  }

  @Override
  public String toString() {
    return "deletes of " + entries.size() + " data files";
  }

  private Object writeReplace() {
    return new Encoded(toBytes());
  }

  @SuppressWarnings("unused") // Called by serialization: a value comes from its bytes only.
  private void readObject(ObjectInputStream in) throws InvalidObjectException {
    throw new InvalidObjectException("Partial deletes are read through their bytes");
  }

  /** What is serialized in the place of partial deletes. */
  private static final class Encoded implements Serializable {
    private static final long serialVersionUID = 1L;

    private final byte[] bytes;

    private Encoded(byte[] bytes) {
      this.bytes = bytes;
    }

    private Object readResolve() {
      return fromBytes(bytes);
    }
  }
}
