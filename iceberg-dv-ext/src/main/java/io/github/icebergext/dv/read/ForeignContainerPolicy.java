package io.github.icebergext.dv.read;

/**
 * What {@link ReadCheck#FULL} does with a vector in a file that a manifest labels Puffin but that
 * is none, as older DuckDB writers, Delta Lake and Apache Paimon left them. There is no footer to
 * check such a vector against; all checks of its bytes and its entry stay on.
 *
 * <p>A Puffin file that is damaged is refused under each of them.
 */
public enum ForeignContainerPolicy {
  /** The vector is refused, and the message names what the file is. */
  REJECT,
  /** The vector is applied, and a warning says which entry should be rewritten. */
  WARN,
  /** The vector is applied. */
  ALLOW
}
