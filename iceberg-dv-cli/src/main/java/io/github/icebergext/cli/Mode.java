package io.github.icebergext.cli;

/** Whether a command that changes a table does so. */
enum Mode {
  /** It shows what it would do, and changes nothing. */
  PLAN,
  /** It does it, and shows what it did. */
  APPLY
}
