package io.github.icebergext.cli.mend;

import io.github.icebergext.cli.source.TableSource;
import io.github.icebergext.cli.table.LiveVectorCounts;
import io.github.icebergext.cli.table.PuffinRisk;
import io.github.icebergext.cli.text.Errors;
import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Outcome;
import io.github.icebergext.cli.text.Report;
import io.github.icebergext.cli.text.Terminal;
import io.github.icebergext.dv.maintain.ExpiryResult;
import io.github.icebergext.dv.maintain.KeptFile;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.TableMetadata;
import org.jspecify.annotations.Nullable;

/**
 * An expiry of snapshots, or the plan of one.
 *
 * @param metadata the table's metadata after the expiry; that of now for a plan
 * @param removedRefs what the branches and tags are called that are removed because of their age
 * @param liveVectors of the kept files; null if they could not be counted
 * @param unreadable why the retained snapshots cannot be read; null if they can
 */
public record ExpireReport(
    String name,
    TableMetadata metadata,
    Asked asked,
    ExpiryResult result,
    List<String> removedRefs,
    @Nullable LiveVectorCounts liveVectors,
    @Nullable String unreadable)
    implements Report {

  /**
   * What the command line says.
   *
   * @param cutOff snapshots that expire are older
   * @param retainLast how many snapshots of each branch stay; null for what the table says
   */
  public record Asked(Mode mode, Instant cutOff, @Nullable Integer retainLast) {}

  /** Makes a report of what was done to the table, or would be. */
  public static ExpireReport of(
      String name, TableSource.OpenTable opened, Asked asked, ExpiryResult result) {
    Map<String, SnapshotRef> refs = opened.metadata().refs();
    return new ExpireReport(
        name,
        TableSource.metadata(opened.table()),
        asked,
        result,
        result.removedRefs().stream().map(ref -> PuffinRisk.describe(ref, refs.get(ref))).toList(),
        count(opened, result),
        result.unreadable().map(e -> Errors.message(opened.explain(e))).orElse(null));
  }

  private static @Nullable LiveVectorCounts count(
      TableSource.OpenTable opened, ExpiryResult result) {
    List<String> locations =
        kept(result, KeptFile.Cause.LIVE_DELETES).map(KeptFile::location).toList();
    try {
      return LiveVectorCounts.of(opened.table(), locations);
    } catch (RuntimeException e) {
      // What was done has to be told all the same.
      return null;
    }
  }

  private static Stream<KeptFile> kept(ExpiryResult result, KeptFile.Cause cause) {
    return result.kept().stream().filter(file -> file.cause() == cause);
  }

  /** Returns the files that were kept for a reason. */
  List<KeptFile> kept(KeptFile.Cause cause) {
    return kept(result, cause).toList();
  }

  /** Returns the deleted files in order; Iceberg finds them in any. */
  List<String> deleted() {
    return result.deleted().stream().sorted().toList();
  }

  boolean applied() {
    return asked.mode() == Mode.APPLY;
  }

  @Override
  public Outcome outcome() {
    return unreadable == null && result.failed().isEmpty() ? Outcome.FINE : Outcome.FINDINGS;
  }

  int snapshotsBefore() {
    return applied()
        ? metadata.snapshots().size() + result.expiredSnapshots().size()
        : metadata.snapshots().size();
  }

  boolean isNothingToDo() {
    return result.expiredSnapshots().isEmpty()
        && result.removedRefs().isEmpty()
        && result.deleted().isEmpty()
        && result.kept().isEmpty();
  }

  Map<ExpiredFileKind, Integer> kinds() {
    Map<ExpiredFileKind, Integer> kinds = new EnumMap<>(ExpiredFileKind.class);
    result.deleted().forEach(file -> kinds.merge(ExpiredFileKind.of(file), 1, Integer::sum));
    return kinds;
  }

  @Override
  public Json.Members toJson() {
    Json.Members counts = Json.object();
    Map<ExpiredFileKind, Integer> kinds = kinds();
    for (ExpiredFileKind kind : ExpiredFileKind.values()) {
      counts.put(kind.key(), kinds.getOrDefault(kind, 0));
    }
    return Json.object()
        .put("table", name)
        .put("location", metadata.location())
        .put("metadataFile", metadata.metadataFileLocation())
        .put("formatVersion", metadata.formatVersion())
        .put("applied", applied())
        .put("cutOffMs", asked.cutOff().toEpochMilli())
        .put("retainLast", asked.retainLast())
        .put("snapshotCountBefore", snapshotsBefore())
        .put(
            "expiredSnapshots",
            result.expiredSnapshots().stream().map(ExpireReport::snapshotJson).toList())
        .put("expiredSnapshotCount", result.expiredSnapshots().size())
        .put("removedRefs", result.removedRefs())
        .put("deletedFiles", deleted())
        .put("deletedFileCount", result.deleted().size())
        .put("deletedFileCounts", counts)
        .put("keptFiles", result.kept().stream().map(this::keptJson).toList())
        .put("keptFileCount", result.kept().size())
        .put(
            "failedFiles",
            result.failed().entrySet().stream().map(ExpireReport::failedJson).toList())
        .put("failedFileCount", result.failed().size())
        .put("unreadable", unreadable);
  }

  private static Json.Members snapshotJson(Snapshot snapshot) {
    return Json.object()
        .put("snapshotId", snapshot.snapshotId())
        .put("sequenceNumber", snapshot.sequenceNumber())
        .put("timestampMs", snapshot.timestampMillis())
        .put("operation", snapshot.operation());
  }

  private Json.Members keptJson(KeptFile file) {
    Json.Members json =
        Json.object().put("location", file.location()).put("cause", file.cause().name());
    if (file.cause() == KeptFile.Cause.LIVE_DELETES) {
      file.snapshotId().ifPresent(snapshotId -> json.put("neededBySnapshotId", snapshotId));
      json.put(
          "currentLiveVectorCount", liveVectors == null ? null : liveVectors.in(file.location()));
    }
    return json;
  }

  private static Json.Members failedJson(Map.Entry<String, RuntimeException> failed) {
    return Json.object()
        .put("location", failed.getKey())
        .put("message", Errors.message(failed.getValue()));
  }

  @Override
  public void print(Terminal terminal) {
    new ExpireText(this).print(terminal);
  }
}
