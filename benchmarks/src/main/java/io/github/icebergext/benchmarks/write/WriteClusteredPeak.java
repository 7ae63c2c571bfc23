package io.github.icebergext.benchmarks.write;

import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.ClusteredDeletionVectorWriter;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Table;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.deletes.DVFileWriter;
import org.apache.iceberg.io.OutputFileFactory;

/**
 * The least heap with which 100 rows of each of many data files are deleted, file by file, in JVMs
 * of their own. Ours is the writer for rows in that order, which holds the results of the Puffin
 * file under way, and whose consumer drops them; Iceberg has one writer for any order.
 */
public final class WriteClusteredPeak {
  private static final List<Integer> FILES = List.of(1_000, 10_000, 100_000);
  private static final int POSITIONS_PER_FILE = 100;

  /** As many as there are in the least number of data files. */
  private static final int VECTORS_PER_PUFFIN = 1_000;

  private WriteClusteredPeak() {}

  /** Returns lines in the form of those that compare times. */
  public static List<String> lines() throws IOException, InterruptedException {
    List<String> lines = new ArrayList<>();
    List<LeastHeap> ours = new ArrayList<>();
    for (int files : FILES) {
      String count = Integer.toString(files);
      ours.add(LeastHeap.of(WriteClusteredPeak.class, "ours", count));
      LeastHeap iceberg = LeastHeap.of(WriteClusteredPeak.class, "iceberg", count);
      String name = "write-clustered-peak " + files + "x" + POSITIONS_PER_FILE;
      lines.addAll(ours.get(ours.size() - 1).linesBeside(iceberg, name));
    }
    lines.add(0, growth(ours.get(0), ours.get(ours.size() - 1)));
    return lines;
  }

  private static String growth(LeastHeap few, LeastHeap many) {
    return String.format(
        Locale.ROOT,
        "beside write-clustered-peak 100000x100 ours-with-1000-files %d %d %.3f MB",
        many.megabytes(),
        few.megabytes(),
        (double) few.megabytes() / many.megabytes());
  }

  /** Does the job in this JVM: by {@code ours} or {@code iceberg}, with a number of data files. */
  public static void main(String[] arguments) throws IOException {
    HeapPeak peak = HeapPeak.watched();
    int files = Integer.parseInt(arguments[1]);
    long rows = arguments[0].equals("ours") ? ours(files) : iceberg(files);
    System.out.println(LeastHeap.report(peak, rows));
  }

  private static long ours(int files) {
    Table table = LocalTable.create("memory:/table");
    AtomicLong rows = new AtomicLong();
    try (ClusteredDeletionVectorWriter writer =
        DeletionVectorWriter.builder(table, LiveDeletes.of(table))
            .withVectorsPerFile(VECTORS_PER_PUFFIN)
            .buildClustered(result -> rows.addAndGet(OurWriting.rows(result.vectors())))) {
      for (int i = 0; i < files; i++) {
        DataFile dataFile = Workload.dataFile(i);
        for (long position : Workload.randomPositions(i, POSITIONS_PER_FILE)) {
          writer.delete(dataFile, position);
        }
      }
      writer.finish();
    }
    return rows.get();
  }

  private static long iceberg(int files) throws IOException {
    Table table = LocalTable.create("memory:/table");
    OutputFileFactory outputFiles =
        OutputFileFactory.builderFor(table, 1, 1).format(FileFormat.PUFFIN).build();
    DVFileWriter writer = new BaseDVFileWriter(outputFiles, dataFile -> null);
    for (int i = 0; i < files; i++) {
      DataFile dataFile = Workload.dataFile(i);
      for (long position : Workload.randomPositions(i, POSITIONS_PER_FILE)) {
        writer.delete(dataFile.location(), position, table.spec(), dataFile.partition());
      }
    }
    return IcebergWriting.rows(IcebergWriting.flush(writer));
  }
}
