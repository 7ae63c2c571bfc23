package io.github.icebergext.dv.read;

import static io.github.icebergext.testing.TestEntries.DATA_FILE;
import static io.github.icebergext.testing.TestEntries.PUFFIN;
import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestEntries.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.puffin.Container;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFile.Call;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.RecordingListener;
import io.github.icebergext.testing.TestPuffin;
import io.github.icebergext.testing.WarningLog;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.iceberg.DeleteFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** duckdb-iceberg#1093, #1248 and #1322, ClickHouse#2271, iceberg-rust#2513. */
class ForeignContainerTest {
  private final RecordingFileIO io = RecordingFileIO.rangeReadable();
  private final RecordingListener listener = new RecordingListener();
  private final byte[] vector = TestPuffin.encoded(positions(5, 6));

  @BeforeEach
  void forgetWarnings() {
    WarningLog.drain();
  }

  private DeletionVectorReader reader(ForeignContainerPolicy policy) {
    return DeletionVectorReader.builder(io)
        .withForeignContainers(policy)
        .withListener(listener)
        .build();
  }

  /** A vector that is all of its file, as older DuckDB writers left it. */
  private DeleteFile bareVector() {
    io.put(PUFFIN, vector);
    return TestPuffin.entry(PUFFIN, vector.length, DATA_FILE, 0, vector.length, 2);
  }

  /**
   * Vectors behind a version byte, with the size that Delta's entries give: to the vector's end.
   */
  private DeleteFile deltaVector() {
    byte[] file = new byte[1 + 3 * vector.length];
    file[0] = 1;
    for (int i = 0; i < 3; i++) {
      System.arraycopy(vector, 0, file, 1 + i * vector.length, vector.length);
    }
    io.put(PUFFIN, file);
    return TestPuffin.entry(
        PUFFIN, 1 + 2L * vector.length, DATA_FILE, 1L + vector.length, vector.length, 2);
  }

  private static void assertRejected(
      DeletionVectorReader reader, DeleteFile entry, Container container) {
    assertThatThrownBy(() -> reader.read(entry))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.NOT_PUFFIN))
        .hasMessage(
            "Cannot read "
                + DeletionVectorEntry.describe(entry)
                + ": its file is "
                + container.description()
                + " and no Puffin file");
  }

  @Test
  void aBareVectorIsNamedAndRejectedByDefault() {
    DeleteFile entry = bareVector();

    assertRejected(DeletionVectorReader.builder(io).build(), entry, Container.BARE_DELETION_VECTOR);
    assertThat(io.requests()).isOne();
    assertThat(io.openStreams()).isZero();
  }

  @Test
  void aDeltaFileIsNamedAndRejectedByDefault() {
    assertRejected(
        DeletionVectorReader.builder(io).build(), deltaVector(), Container.DELTA_OR_PAIMON);
  }

  @Test
  void aParquetFileIsNamedAndRejectedByDefault() {
    byte[] file = new byte[200_000];
    System.arraycopy("PAR1".getBytes(StandardCharsets.US_ASCII), 0, file, 0, 4);
    System.arraycopy(vector, 0, file, 4, vector.length);
    io.put(PUFFIN, file);

    assertRejected(
        DeletionVectorReader.builder(io).build(),
        TestPuffin.entry(PUFFIN, file.length, DATA_FILE, 4, vector.length, 2),
        Container.PARQUET);
  }

  /** As an entry is left by a writer that loses the key. apache/iceberg#15911. */
  @ParameterizedTest
  @EnumSource(ForeignContainerPolicy.class)
  void whatIsNoVectorIsExplainedByWhatItsFileIs(ForeignContainerPolicy policy) {
    byte[] file = new byte[200_000];
    System.arraycopy("AGS1".getBytes(StandardCharsets.US_ASCII), 0, file, 0, 4);
    io.put(PUFFIN, file);
    DeleteFile entry = TestPuffin.entry(PUFFIN, file.length, DATA_FILE, 4, vector.length, 2);

    assertThatThrownBy(() -> reader(policy).read(entry))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.VECTOR_LENGTH))
        .hasMessageStartingWith("Cannot read " + DeletionVectorEntry.describe(entry))
        .hasMessageEndingWith("; its file is an encrypted stream (AGS1)");
  }

  @ParameterizedTest
  @EnumSource(value = ForeignContainerPolicy.class, mode = Mode.EXCLUDE, names = "REJECT")
  void otherPoliciesApplyTheVector(ForeignContainerPolicy policy) {
    assertThat(list(reader(policy).read(bareVector()))).containsExactly(5L, 6L);
    assertThat(list(reader(policy).read(deltaVector()))).containsExactly(5L, 6L);
    assertThat(io.count(Call.LENGTH)).isOne();
  }

  @Test
  void aWarningNamesTheEntryForEachReadAndIsLoggedOnceAFile() {
    DeleteFile entry = bareVector();
    DeletionVectorReader reader = reader(ForeignContainerPolicy.WARN);

    reader.read(entry);
    reader.read(entry);

    String complaint = "its file is a bare deletion-vector-v1 blob and no Puffin file";
    ReadWarning warning =
        new ReadWarning(
            DeletionVectorIdentity.of(entry), Optional.of(DATA_FILE), Reason.NOT_PUFFIN, complaint);
    assertThat(listener.warnings()).containsExactly(warning, warning);
    assertThat(WarningLog.drain())
        .singleElement()
        .asString()
        .contains(DeletionVectorEntry.describe(entry), complaint);
  }

  @Test
  void aBatchWarnsOfEachEntryAndLogsOnceAFile() {
    DeleteFile entry = deltaVector();
    DeleteFile sibling = with(entry, "contentOffset", 1L);

    assertThat(reader(ForeignContainerPolicy.WARN).readAll(List.of(entry, sibling))).hasSize(2);

    assertThat(listener.warnings())
        .extracting(ReadWarning::identity)
        .containsExactly(DeletionVectorIdentity.of(entry), DeletionVectorIdentity.of(sibling));
    assertThat(WarningLog.drain()).hasSize(1);
    // The end that the entry gives, and the real one.
    assertThat(io.requests()).isEqualTo(2);
    assertThat(io.count(Call.LENGTH)).isOne();
  }

  // duckdb-iceberg#1322: a table whose older vectors are not rewritten yet
  @Test
  void aBatchOfBothKindsIsReadAndWarnsOfTheForeignOnesOnly() {
    DeleteFile bare = bareVector();
    DeleteFile sound = new TestPuffin("s3://bucket/sound").vector("b", 7, 8).store(io).get(0);

    assertThat(reader(ForeignContainerPolicy.WARN).readAll(List.of(bare, sound)))
        .extracting(read -> list(read.positions()))
        .containsExactly(List.of(5L, 6L), List.of(7L, 8L));

    assertThat(listener.warnings())
        .extracting(ReadWarning::identity)
        .containsExactly(DeletionVectorIdentity.of(bare));
  }

  @Test
  void allowingIsSilent() {
    reader(ForeignContainerPolicy.ALLOW).read(bareVector());

    assertThat(listener.warnings()).isEmpty();
    assertThat(WarningLog.drain()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(value = ForeignContainerPolicy.class, mode = Mode.EXCLUDE, names = "REJECT")
  void allChecksOfTheVectorStayOn(ForeignContainerPolicy policy) {
    DeleteFile wrongCount = with(bareVector(), "recordCount", 1L);
    assertThatThrownBy(() -> reader(policy).read(wrongCount))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.CARDINALITY));

    vector[vector.length - 1]++;
    assertThatThrownBy(() -> reader(policy).read(bareVector()))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.VECTOR_CHECKSUM));
  }

  @ParameterizedTest
  @EnumSource(ForeignContainerPolicy.class)
  void aPuffinWhoseEndIsMissingIsDamagedAndNotForeign(ForeignContainerPolicy policy) {
    byte[] whole = new TestPuffin(PUFFIN).vector(DATA_FILE, 5, 6).toBytes();
    byte[] cut = Arrays.copyOf(whole, whole.length - 1);
    io.put(PUFFIN, cut);
    DeleteFile entry = TestPuffin.entry(PUFFIN, cut.length, DATA_FILE, 4, vector.length, 2);

    assertThatThrownBy(() -> reader(policy).read(entry))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.NOT_PUFFIN))
        .hasMessageContaining("a truncated Puffin file");
  }

  @Test
  void noContainerIsLookedAtUnderTheEntryCheck() {
    DeletionVectorReader reader =
        DeletionVectorReader.builder(io).withCheck(ReadCheck.ENTRY).build();

    assertThat(list(reader.read(deltaVector()))).containsExactly(5L, 6L);
    assertThat(io.requests()).isOne();
    assertThat(io.count(Call.LENGTH)).isZero();
  }
}
