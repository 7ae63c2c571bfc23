package io.github.icebergext.cli.mend;

/** Whether a command that changes a table does so. */
public enum Mode {
  /** It shows what it would do, and changes nothing. */
  PLAN,
  /** It does it, and shows what it did. */
  APPLY
}
