package io.github.icebergext.dv.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.icebergext.dv.maintain.KeptFile.Cause;
import io.github.icebergext.testing.DelegatingOperations;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.iceberg.ExpireSnapshots;
import org.apache.iceberg.GenericBlobMetadata;
import org.apache.iceberg.GenericStatisticsFile;
import org.apache.iceberg.IcebergBuild;
import org.apache.iceberg.ImmutableGenericPartitionStatisticsFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.MetadataTableType;
import org.apache.iceberg.MetadataTableUtils;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.util.ThreadPools;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PuffinGuardTest {
  private SharedPuffinTable files;
  private WatchedFileIO io;
  private Table table;
  private String shared;

  /** The vector of one data file was replaced; that of another is live in the same Puffin file. */
  @BeforeEach
  void replaceAVector() {
    files = new SharedPuffinTable(10);
    shared = files.puffinOf(files.b);
    files.delete(Map.of(files.a, 3L));
    files.append();
    io = new WatchedFileIO(files.table().io());
    table = tableOn(io);
  }

  private Table tableOn(FileIO storage) {
    return SharedPuffinTable.with(
        new DelegatingOperations(files.operations()) {
          @Override
          public FileIO io() {
            return storage;
          }
        });
  }

  private static void allButTheLast(ExpireSnapshots expiry) {
    expiry.expireOlderThan(Long.MAX_VALUE).retainLast(1);
  }

  private static Set<Long> ids(Iterable<Snapshot> snapshots) {
    return StreamSupport.stream(snapshots.spliterator(), false)
        .map(Snapshot::snapshotId)
        .collect(Collectors.toSet());
  }

  @Test
  void saysWhatExpiredWhatWasDeletedAndWhatWasKeptForWhichSnapshot() {
    Set<Long> before = ids(table.snapshots());
    List<String> lists =
        StreamSupport.stream(table.snapshots().spliterator(), false)
            .limit(3)
            .map(Snapshot::manifestListLocation)
            .toList();

    ExpiryResult result = PuffinGuard.of(table).expire(PuffinGuardTest::allButTheLast);

    long current = table.currentSnapshot().snapshotId();
    assertThat(before).hasSize(4);
    assertThat(ids(result.expiredSnapshots())).hasSize(3).doesNotContain(current);
    assertThat(result.removedRefs()).isEmpty();
    assertThat(result.kept()).hasSize(1);
    KeptFile kept = result.kept().get(0);
    assertThat(kept.location()).isEqualTo(shared);
    assertThat(kept.cause()).isEqualTo(Cause.LIVE_DELETES);
    assertThat(kept.snapshotId()).isEqualTo(OptionalLong.of(current));
    assertThat(result.deleted()).containsAll(lists).doesNotContain(shared);
    assertThat(result.deleted()).allMatch(location -> !files.exists(location));
    assertThat(result.failed()).isEmpty();
    assertThat(result.unreadable()).isEmpty();
  }

  @Test
  void aPlanSaysTheSameAndChangesNothing() {
    TableMetadata before = files.operations().refresh();

    ExpiryResult plan = PuffinGuard.of(table).plan(PuffinGuardTest::allButTheLast);

    assertThat(files.operations().refresh().metadataFileLocation())
        .isEqualTo(before.metadataFileLocation());
    assertThat(io.deletes).isEmpty();
    ExpiryResult result = PuffinGuard.of(table).expire(PuffinGuardTest::allButTheLast);
    assertThat(ids(plan.expiredSnapshots())).isEqualTo(ids(result.expiredSnapshots()));
    assertThat(plan.deleted()).containsExactlyInAnyOrderElementsOf(result.deleted());
    assertThat(plan.kept()).extracting(KeptFile::location).containsExactly(shared);
  }

  @Test
  void namesTheBranchesAndTagsThatWentByAge() throws InterruptedException {
    long current = table.currentSnapshot().snapshotId();
    table.manageSnapshots().createTag("old", current).setMaxRefAgeMs("old", 1).commit();
    Thread.sleep(5);

    assertThat(PuffinGuard.of(table).expire(PuffinGuardTest::allButTheLast).removedRefs())
        .containsExactly("old");
  }

  @Test
  void aFileIsKeptForATagAndDeletedAfterTheTagIsGone() {
    long withBoth = files.table().history().get(1).snapshotId();
    table.manageSnapshots().createTag("tag", withBoth).commit();
    files.delete(Map.of(files.b, 4L));
    files.append();

    ExpiryResult first = PuffinGuard.of(table).expire(PuffinGuardTest::allButTheLast);

    assertThat(first.kept())
        .allSatisfy(kept -> assertThat(kept.snapshotId()).isEqualTo(OptionalLong.of(withBoth)));
    assertThat(files.exists(shared)).isTrue();
    table.manageSnapshots().removeTag("tag").commit();
    PuffinGuard.of(table).expire(PuffinGuardTest::allButTheLast);
    assertThat(files.exists(shared)).isFalse();
    assertThat(files.lostFiles()).isEmpty();
  }

  @Test
  void readsEachDeleteManifestOnceAndNoDataManifest() {
    PuffinGuard guard = PuffinGuard.of(table);

    guard.accept(shared);
    guard.accept(shared);

    FileIO plain = files.table().io();
    Set<String> needed = new HashSet<>();
    for (Snapshot snapshot : table.snapshots()) {
      needed.add(snapshot.manifestListLocation());
      snapshot.deleteManifests(plain).stream()
          .filter(manifest -> manifest.hasAddedFiles() || manifest.hasExistingFiles())
          .map(ManifestFile::path)
          .forEach(needed::add);
    }
    assertThat(io.opened).containsExactlyInAnyOrderElementsOf(needed);
  }

  @Test
  void comparesLocationsByPath() {
    PuffinGuard guard = PuffinGuard.of(table);

    guard.accept("s3a://bucket" + shared);
    guard.accept("file:" + shared.replace("/data/", "//data/x/.././"));

    assertThat(guard.result().kept()).extracting(KeptFile::cause).containsOnly(Cause.LIVE_DELETES);
    assertThat(io.deletes).isEmpty();
  }

  @Test
  void keepsStatisticsThatTheTableHas() {
    long id = table.currentSnapshot().snapshotId();
    String statistics = table.location() + "/metadata/x.stats";
    String ofPartitions = table.location() + "/metadata/partitions.parquet";
    table
        .updateStatistics()
        .setStatistics(
            new GenericStatisticsFile(
                id,
                statistics,
                100,
                10,
                List.of(new GenericBlobMetadata("theta", id, 1, List.of(1), Map.of()))))
        .commit();
    table
        .updatePartitionStatistics()
        .setPartitionStatistics(
            ImmutableGenericPartitionStatisticsFile.builder()
                .snapshotId(id)
                .path(ofPartitions)
                .fileSizeInBytes(100)
                .build())
        .commit();
    PuffinGuard guard = PuffinGuard.of(table);

    guard.accept(statistics);
    guard.accept(ofPartitions);

    assertThat(guard.result().kept()).extracting(KeptFile::cause).containsOnly(Cause.STATISTICS);
    assertThat(guard.result().kept()).hasSize(2);
  }

  /**
   * Iceberg 1.8 and 1.9 take back what a snapshot added that only a tag had, though its data files
   * are live: the snapshots between it and main expired before.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void keepsDataFilesThatATaggedSnapshotAdded(boolean asDeleteWith) {
    table.updateProperties().set(TableProperties.MANIFEST_MIN_MERGE_COUNT, "2").commit();
    long first = files.table().history().get(0).snapshotId();
    table.manageSnapshots().createTag("tag", first).commit();
    files.append();
    PuffinGuard.of(table).expire(PuffinGuardTest::allButTheLast);
    table.manageSnapshots().removeTag("tag").commit();
    files.append();
    PuffinGuard guard = PuffinGuard.of(table);

    if (asDeleteWith) {
      ExpireSnapshots expiry = table.expireSnapshots();
      allButTheLast(expiry);
      expiry.deleteWith(guard).commit();
    } else {
      guard.expire(PuffinGuardTest::allButTheLast);
    }

    assertThat(table.snapshot(first)).isNull();
    assertThat(files.exists(files.a.location())).isTrue();
    assertThat(files.exists(files.b.location())).isTrue();
    assertThat(files.lostFiles()).isEmpty();
    if (List.of("1.8.1", "1.9.2").contains(IcebergBuild.version())) {
      assertThat(guard.result().kept())
          .filteredOn(kept -> kept.cause() == Cause.LIVE_DATA)
          .extracting(KeptFile::location)
          .containsExactlyInAnyOrder(files.a.location(), files.b.location());
    }
  }

  /** Flink's names end in .parquet. */
  @Test
  void goesByEntriesAndNotByNames() {
    String puffin = files.writeVectorsTo(table.location() + "/data/vectors.parquet");
    files.delete(Map.of(files.a, 5L));
    files.append();

    PuffinGuard.of(table).expire(PuffinGuardTest::allButTheLast);

    assertThat(files.puffinOf(files.b)).isEqualTo(puffin);
    assertThat(files.exists(puffin)).isTrue();
  }

  @Test
  void keepsEverythingWhereAManifestCannotBeRead() {
    io.unreadable = table.currentSnapshot().deleteManifests(files.table().io()).get(0).path();

    ExpiryResult result = PuffinGuard.of(table).expire(PuffinGuardTest::allButTheLast);

    assertThat(result.unreadable()).isPresent();
    assertThat(result.unreadable().orElseThrow()).hasMessageContaining("unreadable");
    assertThat(result.expiredSnapshots()).hasSize(3);
    assertThat(result.kept())
        .isNotEmpty()
        .extracting(KeptFile::cause)
        .containsOnly(Cause.NOT_KNOWN);
    assertThat(result.deleted()).isEmpty();
    assertThat(io.deletes).isEmpty();
  }

  /** With a branch, Iceberg reads all lists before it deletes anything, and throws if it cannot. */
  @Test
  void saysWhatExpiredWhereIcebergFailsAfterTheCommit() {
    table.newFastAppend().appendFile(files.dataFile("c")).toBranch("branch").commit();
    io.unreadable = table.currentSnapshot().manifestListLocation();

    ExpiryResult plan = PuffinGuard.of(table).plan(PuffinGuardTest::allButTheLast);
    assertThat(plan.unreadable()).isPresent();
    ExpiryResult result = PuffinGuard.of(table).expire(PuffinGuardTest::allButTheLast);

    assertThat(result.unreadable()).isPresent();
    assertThat(result.expiredSnapshots()).isNotEmpty();
    assertThat(result.deleted()).isEmpty();
    assertThat(io.deletes).isEmpty();
  }

  @Test
  void keepsEverythingWhereAManifestListCannotBeRead() {
    io.unreadable = table.currentSnapshot().manifestListLocation();
    PuffinGuard guard = PuffinGuard.of(table);

    guard.accept("/anything");

    assertThat(guard.result().kept()).extracting(KeptFile::cause).containsExactly(Cause.NOT_KNOWN);
    assertThat(guard.result().unreadable()).isPresent();
  }

  /** Iceberg takes a manifest list that it cannot read, four times in a row, to be empty. */
  @Test
  void keepsManifestsOfRetainedSnapshotsWhereIcebergCouldNotReadTheirList() {
    Snapshot current = table.currentSnapshot();
    List<String> manifests =
        current.allManifests(files.table().io()).stream().map(ManifestFile::path).toList();
    PuffinGuard guard = PuffinGuard.of(table);

    manifests.forEach(guard);
    guard.accept(current.manifestListLocation());

    assertThat(guard.result().kept()).hasSize(manifests.size() + 1);
    assertThat(guard.result().kept()).extracting(KeptFile::cause).containsOnly(Cause.LIVE_METADATA);
    assertThat(guard.result().kept())
        .extracting(KeptFile::snapshotId)
        .containsOnly(OptionalLong.of(current.snapshotId()));
    assertThat(io.deletes).isEmpty();
  }

  @Test
  void aReadThatFailsOnceIsTriedAgain() {
    io.unreadable = table.currentSnapshot().deleteManifests(files.table().io()).get(0).path();
    io.unreadableTimes = 1;

    ExpiryResult result = PuffinGuard.of(table).expire(PuffinGuardTest::allButTheLast);

    assertThat(result.unreadable()).isEmpty();
    assertThat(result.kept()).extracting(KeptFile::location).containsExactly(shared);
  }

  @Test
  void deletesInBulkWhereTheStorageCan() {
    WatchedFileIO.Bulk bulk = new WatchedFileIO.Bulk(files.table().io());

    ExpiryResult result = PuffinGuard.of(tableOn(bulk)).expire(PuffinGuardTest::allButTheLast);

    assertThat(bulk.bulkCalls).isEqualTo(1);
    assertThat(bulk.deletes).isEmpty();
    assertThat(result.deleted()).isNotEmpty().allMatch(location -> !files.exists(location));
    assertThat(files.exists(shared)).isTrue();
  }

  @Test
  void saysWhichFileCouldNotBeDeletedAlsoWhereTheBulkOnlyCounts() {
    WatchedFileIO.Bulk bulk = new WatchedFileIO.Bulk(files.table().io());
    String list = table.snapshots().iterator().next().manifestListLocation();
    bulk.undeletable = list;

    ExpiryResult result = PuffinGuard.of(tableOn(bulk)).expire(PuffinGuardTest::allButTheLast);

    assertThat(result.failed()).containsOnlyKeys(list);
    assertThat(result.failed().get(list)).hasMessageContaining("undeletable");
    assertThat(result.deleted()).isNotEmpty().doesNotContain(list);
    assertThat(files.exists(list)).isTrue();
  }

  @Test
  void aDeleteThatFailsReachesIcebergWhichTriesAgain() {
    String list = table.snapshots().iterator().next().manifestListLocation();
    io.undeletable = list;
    io.undeletableTimes = 1;
    PuffinGuard guard = PuffinGuard.of(table);
    ExpireSnapshots expiry = table.expireSnapshots();
    allButTheLast(expiry);

    expiry.deleteWith(guard).commit();

    assertThat(io.deletes).filteredOn(list::equals).hasSize(2);
    assertThat(guard.result().deleted()).contains(list);
    assertThat(guard.result().failed()).isEmpty();
    assertThat(guard.result().kept()).extracting(KeptFile::location).containsExactly(shared);
  }

  /** Iceberg 1.12 stops to delete files at the first failure. */
  @Test
  void aFileThatIsGoneAlreadyCountsAsDeleted() {
    String gone = table.location() + "/data/gone.puffin";
    PuffinGuard guard = PuffinGuard.of(table);

    assertThatCode(() -> guard.accept(gone)).doesNotThrowAnyException();

    assertThat(guard.result().deleted()).containsExactly(gone);
  }

  /** The pool may be full of threads that wait for the first call. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void isCalledBySeveralThreads(boolean icebergsOwn) {
    ExecutorService threads =
        icebergsOwn ? ThreadPools.getWorkerPool() : Executors.newFixedThreadPool(4);
    PuffinGuard guard = PuffinGuard.of(table);
    ExpireSnapshots expiry = table.expireSnapshots();
    allButTheLast(expiry);

    expiry.executeDeleteWith(threads).deleteWith(guard).commit();

    assertThat(guard.result().kept()).extracting(KeptFile::location).containsExactly(shared);
    assertThat(guard.result().deleted()).isNotEmpty();
    if (!icebergsOwn) {
      threads.shutdown();
    }
  }

  @Test
  void readsAnewForAnExpiryAfterTheFirst() {
    PuffinGuard guard = PuffinGuard.of(table);
    ExpireSnapshots expiry = table.expireSnapshots();
    allButTheLast(expiry);
    expiry.deleteWith(guard).commit();
    files.delete(Map.of(files.a, 6L, files.b, 7L));
    String next = files.puffinOf(files.b);
    files.delete(Map.of(files.a, 8L));
    files.append();

    ExpireSnapshots second = table.expireSnapshots();
    allButTheLast(second);
    second.deleteWith(guard).commit();

    assertThat(files.exists(next)).isTrue();
    assertThat(files.lostFiles()).isEmpty();
  }

  @Test
  void deletesNothingWhereFilesAreNotToBeCleaned() {
    ExpiryResult result =
        PuffinGuard.of(table)
            .expire(
                expiry -> {
                  allButTheLast(expiry);
                  expiry.cleanExpiredFiles(false);
                });

    assertThat(result.expiredSnapshots()).hasSize(3);
    assertThat(result.deleted()).isEmpty();
    assertThat(io.deletes).isEmpty();
  }

  /** Levels are newer than the Iceberg that this is compiled against. */
  @Test
  void deletesOnlyMetadataWhereIcebergIsToldSo() throws ReflectiveOperationException {
    Optional<Method> level =
        Arrays.stream(ExpireSnapshots.class.getMethods())
            .filter(method -> method.getName().equals("cleanupLevel"))
            .findFirst();
    assumeTrue(level.isPresent(), "this version of Iceberg has no clean-up levels");
    Method cleanupLevel = level.orElseThrow();
    Object metadataOnly =
        Arrays.stream(cleanupLevel.getParameterTypes()[0].getEnumConstants())
            .filter(constant -> constant.toString().equals("METADATA_ONLY"))
            .findFirst()
            .orElseThrow();
    PuffinGuard guard = PuffinGuard.of(table);
    ExpireSnapshots expiry = table.expireSnapshots();
    allButTheLast(expiry);
    cleanupLevel.invoke(expiry, metadataOnly);

    expiry.deleteWith(guard).commit();

    assertThat(guard.result().deleted())
        .isNotEmpty()
        .allMatch(location -> location.endsWith(".avro"));
    assertThat(guard.result().kept()).isEmpty();
  }

  @Test
  void deletesNothingWhereTheCommitFailsOrMayHave() {
    for (RuntimeException failure :
        List.of(
            new CommitFailedException("failed"),
            new CommitStateUnknownException(new RuntimeException("unknown")))) {
      Table failing =
          SharedPuffinTable.with(
              new DelegatingOperations(files.operations()) {
                @Override
                public void commit(TableMetadata base, TableMetadata metadata) {
                  throw failure;
                }

                @Override
                public FileIO io() {
                  return io;
                }
              });
      assertThatThrownBy(() -> PuffinGuard.of(failing).expire(PuffinGuardTest::allButTheLast))
          .isInstanceOf(failure.getClass());
      assertThat(io.deletes).isEmpty();
    }
  }

  @Test
  void servesOneExpiry() {
    PuffinGuard guard = PuffinGuard.of(table);
    guard.plan(PuffinGuardTest::allButTheLast);
    guard.expire(PuffinGuardTest::allButTheLast);

    assertThatThrownBy(() -> guard.expire(PuffinGuardTest::allButTheLast))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Cannot expire snapshots of db.table: the guard was used before");
    assertThatThrownBy(() -> guard.accept("/x"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Cannot delete /x: the guard has expired snapshots itself");
  }

  @Test
  void refusesTablesThatNoCatalogGave() {
    Table metadata = MetadataTableUtils.createMetadataTableInstance(table, MetadataTableType.FILES);

    assertThatThrownBy(() -> PuffinGuard.of(metadata))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("load the table from its catalog");
  }

  @Test
  void doesNothingOnATableWithoutSnapshots() {
    Table empty = SharedPuffinTable.create();

    ExpiryResult result = PuffinGuard.of(empty).expire(PuffinGuardTest::allButTheLast);

    assertThat(result.expiredSnapshots()).isEmpty();
    assertThat(result.deleted()).isEmpty();
    assertThat(result.kept()).isEmpty();
  }
}
