package io.github.icebergext.benchmarks.write;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;

/**
 * Rows to delete from data files of a million rows each, as many of each file. The data files exist
 * in metadata only.
 *
 * @param table the unpartitioned table of the files
 * @param dataFiles all different
 * @param positions those of one data file after the other, and of the first again after the last
 */
record Workload(Table table, List<DataFile> dataFiles, List<long[]> positions) {
  static final int ROWS = 1_000_000;

  /** Together larger than what a processor learns to foresee; more would only fill its caches. */
  private static final int DIFFERENT_FILES = 256;

  static Workload random(Table table, int files, int positionsPerFile) {
    return new Workload(
        table,
        IntStream.range(0, files).mapToObj(Workload::dataFile).toList(),
        IntStream.range(0, Math.min(files, DIFFERENT_FILES))
            .mapToObj(seed -> randomPositions(seed, positionsPerFile))
            .toList());
  }

  /** Returns the same deletes with those of each file in ascending order. */
  Workload sorted() {
    return new Workload(
        table,
        dataFiles,
        positions.stream().map(file -> Arrays.stream(file).sorted().toArray()).toList());
  }

  static DataFile dataFile(int index) {
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath("s3://bucket/warehouse/db/table/data/00000-0-%08d.parquet".formatted(index))
        .withFileSizeInBytes(100_000_000)
        .withRecordCount(ROWS)
        .build();
  }

  /** Returns different positions in random order; the same for the same seed. */
  static long[] randomPositions(int seed, int count) {
    return new SplittableRandom(seed).longs(0, ROWS).distinct().limit(count).toArray();
  }

  long[] positionsOf(int file) {
    return positions.get(file % positions.size());
  }

  int positionsPerFile() {
    return positions.get(0).length;
  }
}
