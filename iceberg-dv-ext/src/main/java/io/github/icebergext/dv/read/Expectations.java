package io.github.icebergext.dv.read;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a caller without a manifest entry knows of a vector, and holds it to.
 *
 * <p>Immutable and thread-safe.
 *
 * @param cardinality number of deleted rows; zero is a number like any other
 * @param referencedDataFile location of the data file whose rows are deleted, compared with the
 *     Puffin footer under {@link ReadCheck#FULL}
 * @param rowCount number of rows of the data file, which every position is less than
 */
public record Expectations(
    OptionalLong cardinality, Optional<String> referencedDataFile, OptionalLong rowCount) {
  private static final Expectations NONE =
      new Expectations(OptionalLong.empty(), Optional.empty(), OptionalLong.empty());

  /** Returns expectations that every sound vector meets. */
  public static Expectations none() {
    return NONE;
  }

  /** Returns these expectations with a number of deleted rows. */
  public Expectations withCardinality(long newCardinality) {
    return new Expectations(OptionalLong.of(newCardinality), referencedDataFile, rowCount);
  }

  /** Returns these expectations with the location of the data file. */
  public Expectations withReferencedDataFile(String location) {
    return new Expectations(cardinality, Optional.of(location), rowCount);
  }

  /** Returns these expectations with the number of rows of the data file. */
  public Expectations withRowCount(long newRowCount) {
    return new Expectations(cardinality, referencedDataFile, OptionalLong.of(newRowCount));
  }
}
