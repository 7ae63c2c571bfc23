package io.github.icebergext.benchmarks.puffin;

import io.github.icebergext.benchmarks.ComparedBenchmark;
import io.github.icebergext.puffin.PuffinFileReader;
import io.github.icebergext.puffin.PuffinFooter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.inmemory.InMemoryOutputFile;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.FileMetadata;
import org.apache.iceberg.puffin.Puffin;
import org.apache.iceberg.puffin.PuffinReader;
import org.apache.iceberg.puffin.PuffinWriter;
import org.apache.iceberg.puffin.StandardBlobTypes;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Reads the footer of a file of deletion vectors, as many as the shape says, from memory. */
public class FooterBenchmark extends ComparedBenchmark {
  @Param({"1", "100", "10000"})
  public int shape;

  private byte[] file = new byte[0];

  /** Lets Iceberg write the file. */
  @Setup
  public void write() throws IOException {
    InMemoryOutputFile output = new InMemoryOutputFile("memory:/deletes.puffin");
    try (PuffinWriter writer = Puffin.write(output).createdBy("benchmarks").build()) {
      for (int i = 0; i < shape; i++) {
        writer.write(deletionVector(i));
      }
    }
    file = output.toByteArray();
  }

  private static Blob deletionVector(int index) {
    String dataFile = "s3://bucket/warehouse/db/table/data/day=2026-01-01/00000-0-%08d.parquet";
    return new Blob(
        StandardBlobTypes.DV_V1,
        List.of(MetadataColumns.ROW_POSITION.fieldId()),
        -1,
        -1,
        ByteBuffer.allocate(44),
        null,
        Map.of("referenced-data-file", dataFile.formatted(index), "cardinality", "1"));
  }

  /** Reads the footer with this library, which also checks every blob's range and every key. */
  @Benchmark
  public PuffinFooter ours() {
    try (PuffinFileReader reader =
        PuffinFileReader.read(input()).withFileSize(file.length).build()) {
      return reader.footer();
    }
  }

  /** Reads the footer with Iceberg. */
  @Benchmark
  public FileMetadata iceberg() throws IOException {
    try (PuffinReader reader = Puffin.read(input()).withFileSize(file.length).build()) {
      return reader.fileMetadata();
    }
  }

  private InputFile input() {
    return new InMemoryInputFile("memory:/deletes.puffin", file);
  }
}
