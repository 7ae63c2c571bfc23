package io.github.icebergext.dv.commit;

/** What a commit does about data files that others removed or overwrote since it began. */
public enum RewrittenFilePolicy {
  /** Fails, and commits nothing. */
  FAIL,

  /** Commits the deletes of the other data files, and reports those that were dropped. */
  DROP
}
