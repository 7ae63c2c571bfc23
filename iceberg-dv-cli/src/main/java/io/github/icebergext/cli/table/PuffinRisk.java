package io.github.icebergext.cli.table;

import io.github.icebergext.cli.source.TableSource;
import io.github.icebergext.cli.text.Errors;
import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Numbers;
import io.github.icebergext.dv.maintain.GuardBranch;
import io.github.icebergext.dv.maintain.PuffinsAtRisk;
import java.util.List;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/**
 * The Puffin files that a plain expiry of snapshots would delete although live vectors are in them.
 *
 * @param locations the files, whether or not the table is protected; empty if not known
 * @param liveVectors how many vectors of the current snapshot are in them
 * @param protectingRef the branch or tag that protects the table; null if none does
 * @param protector what the branch or tag is called in a sentence; null if there is none
 * @param unknown why the files are not known; null if they are
 */
public record PuffinRisk(
    List<String> locations,
    long liveVectors,
    @Nullable String protectingRef,
    @Nullable String protector,
    @Nullable String unknown) {

  /** Reads the delete manifests of all snapshots. What cannot be read makes the files unknown. */
  public static PuffinRisk of(TableSource.OpenTable opened) {
    Table table = opened.table();
    String ref = GuardBranch.protectingRef(table).orElse(null);
    String protector = ref == null ? null : describe(ref, table.refs().get(ref));
    try {
      List<String> locations = PuffinsAtRisk.of(table).locations();
      long vectors = LiveVectorCounts.of(table, locations).total();
      return new PuffinRisk(locations, vectors, ref, protector, null);
    } catch (RuntimeException e) {
      String unknown = Errors.message(opened.explain(e));
      return new PuffinRisk(List.of(), 0, ref, protector, unknown);
    }
  }

  /** Returns for example {@code branch audit}; only the name if the ref is not known. */
  public static String describe(String name, @Nullable SnapshotRef ref) {
    if (ref == null) {
      return name;
    }
    return (ref.isBranch() ? "branch " : "tag ") + name;
  }

  /** Returns for example {@code 3 Puffin files with 17 live vectors}. */
  public String filesText() {
    return Numbers.count(locations.size(), "Puffin file", "Puffin files")
        + (liveVectors > 0
            ? " with " + Numbers.count(liveVectors, "live vector", "live vectors")
            : " that other branches or tags need");
  }

  /** Returns {@code it} or {@code them}. */
  public String pronoun() {
    return locations.size() == 1 ? "it" : "them";
  }

  /** Adds the members; those of what is not known or not there are left out. */
  public void addTo(Json.Members json) {
    json.put("puffinFilesAtRisk", unknown == null ? locations : null)
        .put("riskUnknown", unknown)
        .put("protectingRef", protectingRef);
  }
}
