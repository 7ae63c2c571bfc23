package io.github.icebergext.dv.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.testing.DelegatingOperations;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableProperties;
import org.junit.jupiter.api.Test;

class GuardBranchTest {
  private final SharedPuffinTable files = new SharedPuffinTable(10);
  private final Table table = files.table();

  private void expirePlainly() {
    table.expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(1).commit();
  }

  private Set<Long> snapshots() {
    table.refresh();
    return StreamSupport.stream(table.snapshots().spliterator(), false)
        .map(Snapshot::snapshotId)
        .collect(Collectors.toSet());
  }

  private SnapshotRef ref() {
    return Objects.requireNonNull(table.refs().get(GuardBranch.NAME));
  }

  private Snapshot head() {
    return table.snapshot(ref().snapshotId());
  }

  @Test
  void isMadeInOneCommitThatLeavesMainAsItIs() {
    TableMetadata before = files.operations().refresh();

    boolean made = GuardBranch.of(table).create();

    TableMetadata after = files.operations().refresh();
    assertThat(made).isTrue();
    assertThat(after.previousFiles()).hasSize(before.previousFiles().size() + 1);
    assertThat(after.currentSnapshot()).isEqualTo(before.currentSnapshot());
    assertThat(after.schema().asStruct()).isEqualTo(before.schema().asStruct());
    assertThat(after.properties()).isEqualTo(before.properties());
    assertThat(after.nextRowId()).isEqualTo(before.nextRowId());
    assertThat(after.snapshots()).hasSize(before.snapshots().size() + 2);
    assertThat(after.lastSequenceNumber()).isEqualTo(before.lastSequenceNumber() + 2);
  }

  @Test
  void needsNoDataFileAndNoDeleteFile() {
    GuardBranch.of(table).create();

    LiveDeletes live = LiveDeletes.forAudit(table, head());
    assertThat(live.vectors()).isEmpty();
    assertThat(live.dataFiles()).isEmpty();
    assertThat(head().allManifests(table.io())).isEmpty();
  }

  @Test
  void isMadeAlthoughOthersCommitMeanwhile() {
    int[] disturbances = {3};
    Table disturbed =
        SharedPuffinTable.with(
            new DelegatingOperations(files.operations()) {
              @Override
              public void commit(TableMetadata base, TableMetadata metadata) {
                if (disturbances[0]-- > 0) {
                  files.append();
                }
                super.commit(base, metadata);
              }
            });

    assertThat(GuardBranch.of(disturbed).create()).isTrue();

    table.refresh();
    assertThat(GuardBranch.of(table).state()).isEqualTo(GuardBranch.State.PROTECTING);
    assertThat(files.lostFiles()).isEmpty();
  }

  @Test
  void staysWhereOtherBranchesExpireAndKeepsNoSnapshotOfMain() throws InterruptedException {
    table
        .updateProperties()
        .set(TableProperties.MAX_REF_AGE_MS, "1")
        .set(TableProperties.MIN_SNAPSHOTS_TO_KEEP, "5")
        .commit();
    GuardBranch.of(table).create();
    files.append();
    Thread.sleep(5);

    expirePlainly();

    assertThat(snapshots())
        .containsExactlyInAnyOrder(table.currentSnapshot().snapshotId(), head().snapshotId());
    assertThat(GuardBranch.of(table).exists()).isTrue();
  }

  @Test
  void isNotMadeTwice() {
    GuardBranch branch = GuardBranch.of(table);
    assertThat(branch.exists()).isFalse();
    assertThat(branch.create()).isTrue();
    Set<Long> before = snapshots();

    assertThat(branch.create()).isFalse();

    assertThat(branch.exists()).isTrue();
    assertThat(snapshots()).isEqualTo(before);
  }

  @Test
  void isRemovedAndItsSnapshotGoesWithTheNextExpiry() {
    GuardBranch branch = GuardBranch.of(table);
    branch.create();
    Snapshot head = head();

    assertThat(branch.remove()).isTrue();

    assertThat(branch.exists()).isFalse();
    assertThat(branch.remove()).isFalse();
    files.append();
    PuffinGuard.of(table).expire(e -> e.expireOlderThan(Long.MAX_VALUE).retainLast(1));
    assertThat(snapshots()).containsExactly(table.currentSnapshot().snapshotId());
    assertThat(files.exists(head.manifestListLocation())).isFalse();
    assertThat(files.lostFiles()).isEmpty();
    assertThat(files.exists(files.a.location())).isTrue();
    assertThat(files.exists(files.b.location())).isTrue();
  }

  /** As above, by Iceberg alone: the entries that the branch lists as deleted do no harm. */
  @Test
  void afterItsRemovalAPlainExpiryLosesNothingThatWasNotAtRisk() {
    GuardBranch branch = GuardBranch.of(table);
    branch.create();
    branch.remove();
    files.append();

    expirePlainly();
    files.append();
    expirePlainly();

    assertThat(files.lostFiles()).isEmpty();
    assertThat(files.exists(files.a.location())).isTrue();
    assertThat(files.exists(files.b.location())).isTrue();
  }

  @Test
  void refusesATableWhoseMainHasNoSnapshot() {
    Table empty = SharedPuffinTable.create();

    assertThatThrownBy(() -> GuardBranch.of(empty).create())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageEndingWith("its main branch has no snapshot yet");
    assertThat(empty.snapshots()).isEmpty();
  }

  @Test
  void leavesAnotherBranchOrTagOfTheNameAlone() {
    long current = table.currentSnapshot().snapshotId();
    table.manageSnapshots().createBranch(GuardBranch.NAME, current).commit();
    GuardBranch branch = GuardBranch.of(table);

    assertThat(branch.exists()).isFalse();
    assertThatThrownBy(branch::create)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("its branch puffin-guard is another one, at snapshot " + current);
    assertThatThrownBy(branch::remove)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("Cannot remove the protection of");
    table.manageSnapshots().removeBranch(GuardBranch.NAME).commit();
    table.manageSnapshots().createTag(GuardBranch.NAME, current).commit();
    assertThatThrownBy(branch::create).hasMessageContaining("its tag puffin-guard is another one");
    assertThat(ref().snapshotId()).isEqualTo(current);
  }

  /** On some versions a tag in the history of main protects, on others a staged snapshot does. */
  @Test
  void onlyABranchOrTagOutsideMainThatStaysProtectsOnEveryVersion() {
    long current = table.currentSnapshot().snapshotId();
    assertThat(GuardBranch.protectingRef(table)).isEmpty();
    table.manageSnapshots().createTag("tag", current).commit();
    table.newFastAppend().appendFile(files.dataFile("c")).stageOnly().commit();
    assertThat(GuardBranch.protectingRef(table)).isEmpty();

    table.newFastAppend().appendFile(files.dataFile("c")).toBranch("audit").commit();
    assertThat(GuardBranch.protectingRef(table)).contains("audit");

    table.manageSnapshots().setMaxRefAgeMs("audit", 1_000_000_000L).commit();
    assertThat(GuardBranch.protectingRef(table)).isEmpty();
    GuardBranch.of(table).create();
    table.manageSnapshots().setMaxRefAgeMs("audit", Long.MAX_VALUE).commit();
    assertThat(GuardBranch.protectingRef(table)).contains(GuardBranch.NAME);
  }

  @Test
  void marksNothingAsAtRisk() {
    GuardBranch.of(table).create();

    assertThat(PuffinsAtRisk.of(table).locations()).isEmpty();
    assertThat(PuffinsAtRisk.of(table).protectingRef()).contains(GuardBranch.NAME);
  }

  @Test
  void filesAreAtRiskFromTheRemovalOfAVectorToTheExpiryOfItsSnapshot() {
    String shared = files.puffinOf(files.b);
    assertThat(PuffinsAtRisk.of(table).locations()).isEmpty();

    files.delete(Map.of(files.a, 3L));

    assertThat(PuffinsAtRisk.of(table).locations()).containsExactly(shared);
    assertThat(PuffinsAtRisk.of(table).protectingRef()).isEmpty();
    files.append();
    PuffinGuard.of(table).expire(e -> e.expireOlderThan(Long.MAX_VALUE).retainLast(1));
    assertThat(PuffinsAtRisk.of(table).locations()).isEmpty();
  }

  @Test
  void aFileThatOnlyATagNeedsIsAtRiskToo() {
    String shared = files.puffinOf(files.b);
    table.manageSnapshots().createTag("tag", table.currentSnapshot().snapshotId()).commit();

    files.delete(Map.of(files.a, 3L, files.b, 4L));

    assertThat(PuffinsAtRisk.of(table).locations()).containsExactly(shared);
  }

  @Test
  void aFileWhoseVectorsAreAllRemovedIsNotAtRisk() {
    files.delete(Map.of(files.a, 3L, files.b, 4L));

    assertThat(PuffinsAtRisk.of(table).locations()).isEmpty();
  }

  @Test
  void settingsOfTheBranchKeepItForEver() {
    GuardBranch.of(table).create();

    SnapshotRef ref = ref();
    assertThat(ref.isBranch()).isTrue();
    assertThat(ref.maxRefAgeMs()).isEqualTo(Long.MAX_VALUE);
    assertThat(ref.minSnapshotsToKeep()).isEqualTo(1);
    assertThat(ref.maxSnapshotAgeMs()).isEqualTo(1);
  }
}
