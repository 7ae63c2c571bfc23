/**
 * What keeps tables whole: expiry of snapshots, and protection against those of others.
 *
 * <p>First {@code ExpireReport} and its {@code ExpireText}, then {@code ProtectReport}. In both,
 * {@code Mode} tells a plan from what was done. The rules themselves are the library's, in {@code
 * dv.maintain}.
 */
@NullMarked
package io.github.icebergext.cli.mend;

import org.jspecify.annotations.NullMarked;
