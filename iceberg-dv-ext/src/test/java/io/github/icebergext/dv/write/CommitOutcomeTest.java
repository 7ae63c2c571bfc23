package io.github.icebergext.dv.write;

import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestTables.append;
import static io.github.icebergext.testing.TestTables.unpartitioned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.commit.RewrittenFilePolicy;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.testing.FaultyCatalog;
import io.github.icebergext.testing.RecordingFileIO;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Stream;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.ValidationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is left of a flush, and with whom its positions are, when a catalog fails the commit. */
class CommitOutcomeTest {
  private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
  private final Table sound = unpartitioned(storage);
  private final FaultyCatalog catalog =
      new FaultyCatalog(((HasTableOperations) sound).operations());
  private final Table table = new BaseTable(catalog, sound.name());
  private final DataFile data = append(sound, "data");
  private final DataFile other = append(sound, "other");

  @BeforeEach
  void leaveRetriesToUs() {
    sound.updateProperties().set(TableProperties.COMMIT_NUM_RETRIES, "0").commit();
    table.refresh();
  }

  private DeletionVectorWriter writer() {
    return DeletionVectorWriter.of(table, LiveDeletes.of(table));
  }

  private List<Long> live(DataFile dataFile) {
    sound.refresh();
    return LiveDeletes.of(sound)
        .vector(dataFile.location())
        .map(vector -> list(DeletionVectorReader.of(sound).read(vector)))
        .orElse(List.of());
  }

  private void commitByAnother(DataFile dataFile, long... positions) {
    sound.refresh();
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(sound, LiveDeletes.of(sound))) {
      writer.delete(dataFile, positions);
      writer.flush().applyTo(sound.newRowDelta()).commit();
    }
  }

  static Stream<RuntimeException> unclear() {
    return Stream.of(
        new CommitStateUnknownException(new IOException("timeout")),
        new UncheckedIOException(new IOException("timeout")),
        new IllegalStateException("timeout"));
  }

  // iceberg#12751: what may be live must not be deleted
  @ParameterizedTest
  @MethodSource("unclear")
  void nothingIsDeletedWhereTheCommitMayHaveSucceeded(RuntimeException unclear) {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      String puffin = result.vectors().get(0).entry().location();
      catalog.failAfter(unclear);

      assertThatThrownBy(result::commit).isSameAs(unclear);

      assertThat(unclear.getSuppressed())
          .singleElement()
          .satisfies(
              said ->
                  assertThat(said)
                      .hasMessage("Not deleted, as the commit may have succeeded: [%s]", puffin));
      assertThat(storage.locations()).containsExactly(puffin);
      assertThat(live(data)).containsExactly(1L);
      result.committed(sound.currentSnapshot().snapshotId());
      writer.delete(data, 2);
      writer.flush().commit();
    }
    assertThat(live(data)).containsExactly(1L, 2L);
  }

  @Test
  void whatTurnsOutNotToBeCommittedIsDiscarded() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      catalog.failBefore(new CommitStateUnknownException(new IOException("timeout")));
      assertThatThrownBy(result::commit).isInstanceOf(CommitStateUnknownException.class);
      assertThat(storage.locations()).hasSize(1);

      result.discard();
      assertThat(storage.locations()).isEmpty();
      writer.flush().commit();
    }
    assertThat(live(data)).containsExactly(1L);
  }

  @Test
  void committingAgainFindsOutThatTheFirstSucceeded() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      catalog.failAfter(new CommitStateUnknownException(new IOException("timeout")));
      assertThatThrownBy(result::commit).isInstanceOf(CommitStateUnknownException.class);
      sound.refresh();
      long first = sound.currentSnapshot().snapshotId();
      commitByAnother(data, 2);

      CommittedVectors committed = result.commit();

      assertThat(committed.snapshotId()).hasValue(first);
      assertThat(committed.vectors()).isEqualTo(result.vectors());
      assertThat(storage.deleted()).isEmpty();
      writer.delete(data, 3);
      writer.flush().commit();
    }
    assertThat(live(data)).containsExactly(1L, 2L, 3L);
  }

  @Test
  void committingAgainCommitsWhereTheFirstDidNot() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      catalog.failBefore(new CommitStateUnknownException(new IOException("timeout")));
      assertThatThrownBy(result::commit).isInstanceOf(CommitStateUnknownException.class);

      assertThat(result.commit().snapshotId()).isPresent();
    }
    assertThat(live(data)).containsExactly(1L);
    assertThat(storage.locations()).hasSize(1);
  }

  @Test
  void positionsGoBackToTheWriterWhenAllAttemptsFailed() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      CommitFailedException last = new CommitFailedException("third");
      catalog
          .failBefore(new CommitFailedException("first"))
          .failBefore(new CommitFailedException("second"))
          .failBefore(last);

      assertThatThrownBy(() -> result.newCommit().withMaxAttempts(3).commit()).isSameAs(last);

      assertThat(storage.locations()).isEmpty();
      assertThat(live(data)).isEmpty();
      writer.delete(data, 2);
      writer.flush().commit();
    }
    assertThat(live(data)).containsExactly(1L, 2L);
  }

  @Test
  void aFailedAttemptIsRepeated() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      catalog
          .failBefore(new CommitFailedException("first"))
          .failBefore(new CommitFailedException("second"), () -> commitByAnother(data, 2));

      writer.flush().newCommit().withMaxAttempts(3).commit();
    }
    assertThat(live(data)).containsExactly(1L, 2L);
    assertThat(storage.deleted()).hasSize(1);
  }

  /**
   * No other failure is said to come from concurrent commits, and a refused one is not repeated.
   */
  @Test
  void aRefusalIsCleanedUpAndNotRepeated() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      ForbiddenException forbidden = new ForbiddenException("not you");
      catalog.failBefore(forbidden);

      assertThatThrownBy(result::commit).isSameAs(forbidden);

      assertThat(storage.locations()).isEmpty();
      writer.flush().commit();
    }
    assertThat(live(data)).containsExactly(1L);
  }

  @Test
  void aValidationThatWouldFailAgainIsNotRepeated() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      ValidationException refused = new ValidationException("no");
      catalog.failBefore(refused);

      assertThatThrownBy(result::commit).isSameAs(refused);

      assertThat(storage.locations()).isEmpty();
      writer.flush().commit();
    }
    assertThat(live(data)).containsExactly(1L);
  }

  @Test
  void aCatalogThatIsGoneRightAfterTheCommitDoesNotUndoIt() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      catalog.goAwayAfterCommit();

      CommittedVectors committed = result.commit();

      assertThat(committed.vectors()).isEqualTo(result.vectors());
      assertThat(committed.snapshotId()).isEmpty();
      catalog.comeBack();
      assertThat(live(data)).containsExactly(1L);
      writer.delete(data, 2);
      assertThatThrownBy(writer::flush)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("give what was added since to a new writer");
      table.refresh();
      try (DeletionVectorWriter next = writer()) {
        next.delete(writer.takePartial());
        next.flush().commit();
      }
    }
    assertThat(live(data)).containsExactly(1L, 2L);
  }

  @Test
  void dropsAreNotForgottenByAnUnclearCommit() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      writer.delete(other, 2);
      FlushResult result = writer.flush();
      sound.newDelete().deleteFile(data).commit();
      CommitStateUnknownException unclear =
          new CommitStateUnknownException(new IOException("timeout"));
      catalog.failBefore(unclear);
      DeletionVectorCommit commit = result.newCommit().withRewrittenFiles(RewrittenFilePolicy.DROP);
      assertThatThrownBy(commit::commit).isSameAs(unclear);
      assertThat(unclear.getSuppressed()[0])
          .hasMessageEndingWith("not part of it are the deletes of [" + data.location() + "]");

      assertThat(result.commit().dropped())
          .extracting(DroppedDeletes::dataFile)
          .containsExactly(data.location());
    }
    assertThat(live(other)).containsExactly(2L);
  }

  @Test
  void whatWasDroppedGoesBackTooIfTheCommitFails() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      writer.delete(other, 2);
      FlushResult result = writer.flush();
      sound.newDelete().deleteFile(data).commit();
      catalog.failBefore(new ForbiddenException("not you"));
      DeletionVectorCommit commit = result.newCommit().withRewrittenFiles(RewrittenFilePolicy.DROP);
      assertThatThrownBy(commit::commit).isInstanceOf(ForbiddenException.class);

      assertThat(storage.locations()).isEmpty();
      assertThat(writer.flush().vectors())
          .extracting(FlushedVector::referencedDataFile)
          .containsExactly(data.location(), other.location());
    }
  }

  @Test
  void anInterruptedThreadMakesNoFurtherAttempt() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      CommitFailedException failure = new CommitFailedException("first");
      catalog.failBefore(failure, () -> Thread.currentThread().interrupt());

      assertThatThrownBy(result::commit).isSameAs(failure);

      assertThat(Thread.interrupted()).isTrue();
      assertThat(storage.locations()).isEmpty();
      writer.flush().commit();
    }
    assertThat(live(data)).containsExactly(1L);
  }

  @Test
  void mergedResultsGoBackToTheirWritersWhenTheCommitFails() {
    try (DeletionVectorWriter first = writer();
        DeletionVectorWriter second = writer()) {
      first.delete(data, 1);
      second.delete(other, 2);
      FlushResult merged = FlushResult.merge(List.of(first.flush(), second.flush()));
      catalog.failBefore(new CommitFailedException("no"), () -> commitByAnother(data, 5));
      assertThatThrownBy(() -> merged.newCommit().withMaxAttempts(1).commit())
          .isInstanceOf(CommitFailedException.class);

      FlushResult.merge(List.of(first.flush(), second.flush())).commit();
      first.delete(other, 3);
      first.flush().commit();
    }
    assertThat(live(data)).containsExactly(1L, 5L);
    assertThat(live(other)).containsExactly(2L, 3L);
  }

  @Test
  void theNextRoundNeedsNoSnapshotThatHasExpired() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      long committed = writer.flush().commit().snapshotId().orElseThrow();
      commitByAnother(other, 2);
      sound.expireSnapshots().expireSnapshotId(committed).commit();

      writer.delete(data, 3);
      writer.flush().commit();
    }
    assertThat(live(data)).containsExactly(1L, 3L);
    assertThat(live(other)).containsExactly(2L);
  }

  /** What says that nothing was committed may come before anything could be. */
  @Test
  void aCatalogThatRefusesToAnswerIsCleanedUpAfter() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      ForbiddenException forbidden = new ForbiddenException("not you");
      catalog.goAway(forbidden);

      assertThatThrownBy(result::commit).isSameAs(forbidden);

      assertThat(storage.locations()).isEmpty();
      catalog.comeBack();
      writer.flush().commit();
    }
    assertThat(live(data)).containsExactly(1L);
  }

  @Test
  void nothingIsDeletedWhereACatalogRefusesToSayWhetherItCommitted() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      catalog.failAfter(new CommitStateUnknownException(new IOException("timeout")));
      assertThatThrownBy(result::commit).isInstanceOf(CommitStateUnknownException.class);
      catalog.goAway(new ForbiddenException("not you"));
      assertThatThrownBy(result::commit).isInstanceOf(ForbiddenException.class);

      assertThat(storage.locations()).hasSize(1);
      catalog.comeBack();
      assertThat(result.commit().vectors()).hasSize(1);
    }
    assertThat(live(data)).containsExactly(1L);
  }
}
