package io.github.icebergext.dv.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.DeletedPositions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ExpireSnapshots;
import org.apache.iceberg.IcebergBuild;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expressions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The fault of Iceberg's own expiry, apache/iceberg#17456: it deletes the Puffin file of a removed
 * vector together with the live vectors in it. Shown for each way a vector ends, beside what
 * prevents it.
 */
class ExpiryFaultTest {
  /** How the vector of data file {@code a} ends; that of {@code b} lives on in the same file. */
  enum Ending {
    REPLACED {
      @Override
      void commit(SharedPuffinTable table) {
        table.delete(Map.of(table.a, 3L));
      }
    },
    DATA_FILE_DELETED {
      @Override
      void commit(SharedPuffinTable table) {
        table.table().newDelete().deleteFile(table.a).commit();
        table.removeVectorIfThere(table.a);
      }
    },
    DATA_FILE_OVERWRITTEN {
      @Override
      void commit(SharedPuffinTable table) {
        table.table().newOverwrite().deleteFile(table.a).addFile(table.dataFile("a")).commit();
        table.removeVectorIfThere(table.a);
      }
    },
    FULLY_DELETED_FILE_REMOVED {
      @Override
      void commit(SharedPuffinTable table) {
        table
            .table()
            .newRewrite()
            .deleteFile(table.a)
            .deleteFile(table.vectorOf(table.a))
            .validateFromSnapshot(table.table().currentSnapshot().snapshotId())
            .commit();
      }
    },
    DATA_FILE_COMPACTED {
      @Override
      void commit(SharedPuffinTable table) {
        table
            .table()
            .newRewrite()
            .deleteFile(table.a)
            .deleteFile(table.vectorOf(table.a))
            .addFile(table.dataFile("a"))
            .validateFromSnapshot(table.table().currentSnapshot().snapshotId())
            .commit();
      }
    },
    PARTITION_DROPPED {
      @Override
      void commit(SharedPuffinTable table) {
        table.table().newDelete().deleteFromRowFilter(Expressions.equal("category", "a")).commit();
      }
    },
    PARTITION_REPLACED {
      @Override
      void commit(SharedPuffinTable table) {
        table.table().newReplacePartitions().addFile(table.dataFile("a")).commit();
      }
    };

    abstract void commit(SharedPuffinTable table);

    /** Commits it, and something else after it, so that the snapshot may expire. */
    void commitAndGoOn(SharedPuffinTable table) {
      commit(table);
      table.append();
    }
  }

  /** What keeps the shared file, and every other that is needed. */
  enum Cure {
    GUARD {
      @Override
      void expire(Table table) {
        PuffinGuard.of(table).expire(ExpiryFaultTest::allButTheLast);
      }
    },
    GUARD_AS_DELETE_WITH {
      @Override
      void expire(Table table) {
        ExpireSnapshots expiry = table.expireSnapshots();
        allButTheLast(expiry);
        expiry.deleteWith(PuffinGuard.of(table)).commit();
      }
    },
    GUARD_BRANCH {
      @Override
      void prepare(Table table) {
        GuardBranch.of(table).create();
      }
    },
    ONE_VECTOR_A_PUFFIN {
      @Override
      int vectorsPerPuffin() {
        return 1;
      }
    },
    SNAPSHOTS_BY_ID {
      @Override
      void expire(Table table) {
        ExpireSnapshots expiry = table.expireSnapshots();
        for (Snapshot snapshot : table.snapshots()) {
          if (snapshot.snapshotId() != table.currentSnapshot().snapshotId()
              && !isReferenced(table, snapshot)) {
            expiry.expireSnapshotId(snapshot.snapshotId());
          }
        }
        expiry.commit();
      }
    };

    int vectorsPerPuffin() {
      return 10;
    }

    void prepare(Table table) {}

    void expire(Table table) {
      expirePlainly(table);
    }
  }

  private static void allButTheLast(ExpireSnapshots expiry) {
    expiry.expireOlderThan(Long.MAX_VALUE).retainLast(1);
  }

  private static void expirePlainly(Table table) {
    ExpireSnapshots expiry = table.expireSnapshots();
    allButTheLast(expiry);
    expiry.commit();
  }

  private static boolean isReferenced(Table table, Snapshot snapshot) {
    return table.refs().values().stream()
        .anyMatch(ref -> ref.snapshotId() == snapshot.snapshotId());
  }

  /**
   * If this fails, this version of Iceberg has mended its expiry: say so in docs/known-faults.md,
   * and leave the version out here.
   */
  @ParameterizedTest
  @EnumSource
  void plainExpiryDeletesAFileThatALiveVectorIsIn(Ending ending) {
    SharedPuffinTable table = new SharedPuffinTable(10);
    String shared = table.puffinOf(table.b);
    ending.commitAndGoOn(table);

    expirePlainly(table.table());

    assertThat(table.puffinOf(table.b)).isEqualTo(shared);
    assertThat(table.exists(shared))
        .as(
            "Iceberg %s keeps the file of a live vector after %s, it is mended",
            IcebergBuild.version(), ending)
        .isFalse();
  }

  /** The danger ends with the expiry of the snapshot that removed a vector. */
  @ParameterizedTest
  @EnumSource
  void aPlainExpiryAfterAGuardedOneDeletesNothingThatIsLive(Ending ending) {
    SharedPuffinTable table = new SharedPuffinTable(10);
    ending.commitAndGoOn(table);
    assertThat(PuffinsAtRisk.of(table.table()).locations())
        .containsExactly(table.puffinOf(table.b));
    PuffinGuard.of(table.table()).expire(ExpiryFaultTest::allButTheLast);
    assertThat(PuffinsAtRisk.of(table.table()).locations()).isEmpty();
    table.append();

    expirePlainly(table.table());

    assertThat(table.lostFiles()).isEmpty();
  }

  static List<Arguments> endingsAndCures() {
    List<Arguments> all = new ArrayList<>();
    for (Ending ending : Ending.values()) {
      for (Cure cure : Cure.values()) {
        for (Refs refs : Refs.values()) {
          all.add(Arguments.of(ending, cure, refs));
        }
      }
    }
    return all;
  }

  /** What else refers to snapshots while main goes on. */
  enum Refs {
    ONLY_MAIN {
      @Override
      void add(SharedPuffinTable table) {}
    },
    TAG_IN_MAIN {
      @Override
      void add(SharedPuffinTable table) {
        table
            .table()
            .manageSnapshots()
            .createTag("tag", table.table().currentSnapshot().snapshotId())
            .commit();
      }
    },
    BRANCH_OF_ITS_OWN {
      @Override
      void add(SharedPuffinTable table) {
        TAG_IN_MAIN.add(table);
        table.table().newFastAppend().appendFile(table.dataFile("c")).toBranch("branch").commit();
      }
    },
    STAGED_SNAPSHOT {
      @Override
      void add(SharedPuffinTable table) {
        table.table().newFastAppend().appendFile(table.dataFile("c")).stageOnly().commit();
      }
    };

    abstract void add(SharedPuffinTable table);
  }

  @ParameterizedTest
  @MethodSource("endingsAndCures")
  void everyRetainedSnapshotHasItsVectors(Ending ending, Cure cure, Refs refs) {
    SharedPuffinTable table = new SharedPuffinTable(cure.vectorsPerPuffin());
    refs.add(table);
    cure.prepare(table.table());
    ending.commitAndGoOn(table);
    Map<Long, Map<String, DeletedPositions>> before = deletedRows(table);

    cure.expire(table.table());

    Map<Long, Map<String, DeletedPositions>> after = deletedRows(table);
    assertThat(after.keySet()).contains(table.table().currentSnapshot().snapshotId());
    after.forEach((snapshot, rows) -> assertThat(rows).isEqualTo(before.get(snapshot)));
    assertThat(table.lostFiles()).isEmpty();
    assertThat(after.get(table.table().currentSnapshot().snapshotId()))
        .containsEntry(table.b.location(), DeletedPositions.of(2));
  }

  @ParameterizedTest
  @EnumSource
  void manyRoundsLoseNothingAndLeaveNothing(Cure cure) {
    SharedPuffinTable table = new SharedPuffinTable(cure.vectorsPerPuffin());
    Set<String> written = new HashSet<>();
    cure.prepare(table.table());
    for (long row = 10; row < 16; row++) {
      written.add(table.puffinOf(table.a));
      written.add(table.puffinOf(table.b));
      DataFile next = row % 3 == 0 ? table.b : table.a;
      table.delete(row % 2 == 0 ? Map.of(next, row) : Map.of(table.a, row, table.b, row));
      cure.expire(table.table());
      assertThat(table.lostFiles()).isEmpty();
    }
    table.append();
    cure.expire(table.table());

    Set<String> live = new HashSet<>(List.of(table.puffinOf(table.a), table.puffinOf(table.b)));
    assertThat(written)
        .allSatisfy(
            location -> assertThat(table.exists(location)).isEqualTo(live.contains(location)));
  }

  private static Map<Long, Map<String, DeletedPositions>> deletedRows(SharedPuffinTable table) {
    Map<Long, Map<String, DeletedPositions>> rows = new LinkedHashMap<>();
    for (Snapshot snapshot : table.table().snapshots()) {
      rows.put(snapshot.snapshotId(), table.deletedRows(snapshot));
    }
    return rows;
  }
}
