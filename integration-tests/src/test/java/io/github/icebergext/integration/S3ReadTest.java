package io.github.icebergext.integration;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.read.DeletionVectorDeleteLoader;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.read.FooterCache;
import io.github.icebergext.dv.read.ReadCheck;
import io.github.icebergext.dv.read.ReadVector;
import io.github.icebergext.dv.read.TaskVector;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.integration.S3Server.Seen;
import io.github.icebergext.puffin.PuffinFileReader;
import io.github.icebergext.puffin.PuffinFooter;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.puffin.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.ResolvingFileIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What reading vectors of a table on S3 costs in requests, as the server sees it. */
class S3ReadTest {
  private static final DeletedPositions SMALL = DeletedPositions.of(3, 5, 70_000);

  /** Takes up more than what is read between two ranges to save a request. */
  private static final DeletedPositions LARGE = everySecondRow(40 << 16);

  private static final long MERGE_GAP = PuffinLimits.defaults().mergeGapBytes();
  private static final long TAIL = PuffinLimits.defaults().tailBytes();

  @TempDir private static Path folder;
  private static S3Server server;
  private static S3Table table;

  @BeforeAll
  static void createTable() throws Exception {
    server = S3Server.start();
    table = new S3Table(server, folder, Map.of());
  }

  @AfterAll
  static void stopServer() throws Exception {
    table.close();
    server.stop();
  }

  private static DeletedPositions everySecondRow(long rows) {
    DeletedPositions.Builder builder = DeletedPositions.builder();
    LongStream.range(0, rows / 2).forEach(i -> builder.add(2 * i));
    return builder.build();
  }

  /** Commits vectors in one Puffin file and forgets the requests for it. */
  private static List<DeleteFile> commit(DeletedPositions... vectors) {
    List<DeleteFile> entries = table.commit(List.of(vectors));
    server.forget();
    return entries;
  }

  private static DeletionVectorReader reader(ReadCheck check) {
    return DeletionVectorReader.builder(table.table()).withCheck(check).build();
  }

  private static Seen getOf(DeleteFile vector) {
    return Seen.get(vector.location(), vector.contentOffset(), vector.contentSizeInBytes());
  }

  /** From the start of a vector to the end of its file. */
  private static Seen getToTheEnd(DeleteFile vector, long fileSize) {
    long offset = vector.contentOffset();
    return Seen.get(vector.location(), offset, fileSize - offset);
  }

  private static Seen getOfTail(DeleteFile vector, long fileSize) {
    return Seen.get(vector.location(), fileSize - TAIL, TAIL);
  }

  // apache/datafusion-comet#5853, apache/iceberg-rust#2513
  @Test
  void entryCheckIsOneGetOfExactlyTheVector() {
    DeleteFile vector = commit(SMALL, LARGE).get(0);

    assertThat(reader(ReadCheck.ENTRY).read(vector)).isEqualTo(SMALL);
    assertThat(server.requests()).containsExactly(getOf(vector));
  }

  @Test
  void fullCheckOfAVectorNearTheFooterIsOneGet() {
    DeleteFile vector = commit(LARGE, SMALL).get(1);
    long fileSize = vector.fileSizeInBytes();

    assertThat(reader(ReadCheck.FULL).read(vector)).isEqualTo(SMALL);
    assertThat(server.requests()).containsExactly(getOfTail(vector, fileSize));
  }

  @Test
  void fullCheckOfAVectorFarFromTheFooterIsTwoGetsAtOnce() {
    DeleteFile vector = commit(SMALL, LARGE).get(0);
    long fileSize = vector.fileSizeInBytes();
    assertThat(fileSize).isGreaterThan(MERGE_GAP + TAIL);
    server.answerTogether(2);

    assertThat(reader(ReadCheck.FULL).read(vector)).isEqualTo(SMALL);
    assertThat(server.requests())
        .containsExactlyInAnyOrder(getOf(vector), getOfTail(vector, fileSize));
  }

  @Test
  void footerLargerThanTheTailIsInTheOneGetThatBringsAVectorNearIt() throws IOException {
    DeleteFile vector = commit(manySmall(300)).get(0);
    PuffinFooter footer = footer(vector);
    long fileSize = vector.fileSizeInBytes();
    assertThat(footer.sizeInBytes()).isGreaterThan(TAIL);

    assertThat(reader(ReadCheck.FULL).read(vector)).isEqualTo(DeletedPositions.of(0));
    assertThat(server.requests()).containsExactly(getToTheEnd(vector, fileSize));
  }

  @Test
  void footerLargerThanTheTailAndFarFromTheVectorIsASecondRoundTrip() throws IOException {
    DeletedPositions[] vectors = manySmall(301);
    vectors[1] = LARGE;
    DeleteFile vector = commit(vectors).get(0);
    PuffinFooter footer = footer(vector);
    long fileSize = vector.fileSizeInBytes();
    server.answerTogether(2);

    assertThat(reader(ReadCheck.FULL).read(vector)).isEqualTo(DeletedPositions.of(0));
    assertThat(server.requests().subList(0, 2))
        .containsExactlyInAnyOrder(getOf(vector), getOfTail(vector, fileSize));
    assertThat(server.requests().subList(2, server.requests().size()))
        .containsExactly(
            // That much can only be known from the answer to the first.
            Seen.get(vector.location(), footer.offset(), fileSize - TAIL - footer.offset()));
  }

  private static DeletedPositions[] manySmall(int count) {
    return IntStream.range(0, count)
        .mapToObj(DeletedPositions::of)
        .toArray(DeletedPositions[]::new);
  }

  private static PuffinFooter footer(DeleteFile vector) throws IOException {
    try (PuffinFileReader reader =
        PuffinFileReader.read(table.table().io().newInputFile(vector)).build()) {
      return reader.footer();
    } finally {
      server.forget();
    }
  }

  // apache/iceberg-go#1906, apache/iceberg#14352
  @Test
  void aThousandVectorsOfTenPuffinsAreTenGetsWithTheirFooters() throws IOException {
    List<List<DeletedPositions>> puffins = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      int puffin = i;
      puffins.add(IntStream.range(0, 100).mapToObj(j -> twoKilobytes(100 * puffin + j)).toList());
    }
    List<DeleteFile> entries = table.commitPuffins(puffins);
    server.forget();
    server.answerTogether(8);

    List<DeletedPositions> read = new ArrayList<>();
    try (CloseableIterable<ReadVector> all = reader(ReadCheck.FULL).readAll(entries)) {
      all.forEach(vector -> read.add(vector.positions()));
    }

    assertThat(read).isEqualTo(puffins.stream().flatMap(List::stream).toList());
    assertThat(server.requests()).hasSize(10).allMatch(seen -> seen.method().equals("GET"));
    assertThat(server.requests().stream().collect(groupingBy(Seen::location))).hasSize(10);
  }

  private static DeletedPositions twoKilobytes(int seed) {
    DeletedPositions.Builder builder = DeletedPositions.builder();
    LongStream.range(0, 1000).forEach(i -> builder.add(64 * i + seed % 63));
    return builder.build();
  }

  @ParameterizedTest
  @ValueSource(longs = {-10, 1, 100_000})
  void aWrongFileSizeOfTheEntryCostsAHeadAndASecondTail(long error) {
    DeleteFile vector = commit(LARGE, SMALL).get(1);
    long fileSize = vector.fileSizeInBytes();

    DeletedPositions read =
        reader(ReadCheck.FULL).read(entry(vector, vector.contentOffset(), fileSize + error));

    assertThat(read).isEqualTo(SMALL);
    assertThat(server.requests()).filteredOn(Seen.head(vector.location())::equals).hasSize(1);
    assertThat(server.requests()).endsWith(getOfTail(vector, fileSize)).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(longs = {-10, 100_000})
  void aWrongFileSizeCostsNothingWhereNoFooterIsRead(long error) {
    DeleteFile vector = commit(LARGE, SMALL).get(1);
    long fileSize = vector.fileSizeInBytes();

    reader(ReadCheck.ENTRY).read(entry(vector, vector.contentOffset(), fileSize + error));

    assertThat(server.requests()).containsExactly(getOf(vector));
  }

  /** The storage answers one with what there is of the range, and the other with status 416. */
  @ParameterizedTest
  @ValueSource(longs = {-1, 100})
  void anEntryThatPointsPastTheEndIsToldByAHead(long pastTheEnd) {
    DeleteFile vector = commit(SMALL).get(0);
    long fileSize = vector.fileSizeInBytes();
    DeleteFile entry = entry(vector, fileSize + pastTheEnd, 2 * fileSize + 200);

    for (ReadCheck check : ReadCheck.values()) {
      server.forget();
      assertThatThrownBy(() -> reader(check).read(entry))
          .isInstanceOfSatisfying(
              InvalidDeletionVectorException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.BLOB_RANGE))
          .hasMessageContaining("ends at " + fileSize);
      assertThat(server.requests()).filteredOn(Seen.head(vector.location())::equals).hasSize(1);
    }
  }

  private static DeleteFile entry(DeleteFile vector, long offset, long fileSize) {
    return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
        .ofPositionDeletes()
        .withFormat(FileFormat.PUFFIN)
        .withPath(vector.location())
        .withReferencedDataFile(vector.referencedDataFile())
        .withRecordCount(vector.recordCount())
        .withContentSizeInBytes(vector.contentSizeInBytes())
        .withContentOffset(offset)
        .withFileSizeInBytes(fileSize)
        .build();
  }

  // apache/iceberg#17456
  @ParameterizedTest
  @EnumSource(ReadCheck.class)
  void aMissingFileIsTheStoragesExceptionWithTheEntryInANote(ReadCheck check) {
    DeleteFile vector = commit(SMALL).get(0);
    table.table().io().deleteFile(vector.location());
    server.forget();

    assertThatThrownBy(() -> reader(check).read(vector))
        .isNotInstanceOf(InvalidDeletionVectorException.class)
        .satisfies(
            e ->
                assertThat(e.getSuppressed())
                    .anyMatch(note -> note.getMessage().contains(vector.location())));
    assertThat(server.requests().stream().filter(seen -> seen.method().equals("GET"))).hasSize(1);
  }

  /** Iceberg's filters open files by their location only. */
  @Test
  void aLoaderInIcebergsFiltersAsksForNoLength() {
    DeleteFile vector = commit(LARGE, SMALL).get(1);
    DeleteLoader icebergs =
        new BaseDeleteLoader(entry -> table.table().io().newInputFile(entry.location()));
    DeleteLoader byEntry =
        new DeletionVectorDeleteLoader(entry -> table.table().io().newInputFile(entry.location()));
    DeleteLoader full =
        new DeletionVectorDeleteLoader(
            entry -> table.table().io().newInputFile(entry.location()),
            settings -> settings.withCheck(ReadCheck.FULL));
    DeletedPositions expected =
        DeletedPositions.copyOf(
            icebergs.loadPositionDeletes(List.of(vector), vector.referencedDataFile()));

    server.forget();
    assertThat(load(byEntry, vector)).isEqualTo(expected);
    assertThat(server.requests()).containsExactly(getOf(vector));

    server.forget();
    assertThat(load(full, vector)).isEqualTo(expected);
    assertThat(server.requests()).containsExactly(getOfTail(vector, vector.fileSizeInBytes()));
  }

  private static DeletedPositions load(DeleteLoader loader, DeleteFile vector) {
    return DeletedPositions.copyOf(
        loader.loadPositionDeletes(List.of(vector), vector.referencedDataFile()));
  }

  @Test
  void aKnownFooterLeavesTheVectorToBeRead() {
    List<DeleteFile> vectors = commit(SMALL, LARGE, SMALL);
    DeletionVectorReader reader =
        DeletionVectorReader.builder(table.table())
            .withFooterCache(FooterCache.ofMaxBytes(1 << 20))
            .build();
    reader.read(vectors.get(2));
    server.forget();

    assertThat(reader.read(vectors.get(0))).isEqualTo(SMALL);
    assertThat(server.requests()).containsExactly(getOf(vectors.get(0)));
  }

  // NVIDIA/cudf-spark#15755
  @Test
  void theSplitsOfADataFileReadItsVectorOnce() throws IOException {
    DeleteFile vector = commit(SMALL).get(0);
    List<FileScanTask> splits = new ArrayList<>();
    try (CloseableIterable<FileScanTask> planned = table.table().newScan().planFiles()) {
      for (FileScanTask task : planned) {
        if (task.file().location().equals(vector.referencedDataFile())) {
          task.split(100).forEach(splits::add);
        }
      }
    }
    server.forget();

    List<DeletedPositions> read = new ArrayList<>();
    try (CloseableIterable<TaskVector> all = reader(ReadCheck.FULL).readAllTasks(splits)) {
      all.forEach(task -> read.add(task.vector().orElseThrow()));
    }

    assertThat(read).hasSameSizeAs(splits).containsOnly(SMALL);
    assertThat(splits).hasSizeGreaterThan(1);
    assertThat(server.requests())
        .containsExactly(Seen.get(vector.location(), 0, vector.fileSizeInBytes()));
  }

  @Test
  void aStorageThatChoosesAmongOthersCostsNoMore(@TempDir Path other) {
    try (S3Table resolved =
        new S3Table(
            server,
            other,
            Map.of(CatalogProperties.FILE_IO_IMPL, ResolvingFileIO.class.getName()))) {
      DeleteFile vector = resolved.commit(List.of(LARGE, SMALL)).get(1);
      server.forget();

      assertThat(DeletionVectorReader.of(resolved.table()).read(vector)).isEqualTo(SMALL);
      assertThat(server.requests()).containsExactly(getOfTail(vector, vector.fileSizeInBytes()));
    }
  }

  /** Iceberg decrypts block by block, and reads on from where a block starts. */
  @Test
  void anEncryptedVectorIsOneGetToo() {
    EncryptedTable.requireSupport();
    Table encrypted =
        EncryptedTable.create(
            table.table().schema(), table.table().io(), server.warehouse() + folder + "/encrypted");
    DataFile dataFile =
        DataFiles.builder(encrypted.spec())
            .withPath(encrypted.location() + "/data/rows.parquet")
            .withFileSizeInBytes(1000)
            .withRecordCount(100_000)
            .build();
    encrypted.newAppend().appendFile(dataFile).commit();
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.of(encrypted, LiveDeletes.of(encrypted))) {
      writer.delete(dataFile, SMALL);
      writer.flush().applyTo(encrypted.newRowDelta()).commit();
    }
    DeleteFile vector = LiveDeletes.of(encrypted).vectors().get(0);

    for (ReadCheck check : ReadCheck.values()) {
      server.forget();
      DeletionVectorReader reader =
          DeletionVectorReader.builder(encrypted).withCheck(check).build();
      assertThat(reader.read(vector)).isEqualTo(SMALL);
      assertThat(server.requests())
          .containsExactly(new Seen("GET", vector.location(), Optional.of("bytes=0-")));
    }
  }
}
