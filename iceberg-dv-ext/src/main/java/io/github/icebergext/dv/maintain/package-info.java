/**
 * Maintenance of whole tables: for now, expiry of snapshots that keeps every Puffin file that is
 * still needed. Start with {@link io.github.icebergext.dv.maintain.PuffinGuard}; {@link
 * io.github.icebergext.dv.maintain.GuardBranch} is for tables that others expire, and {@link
 * io.github.icebergext.dv.maintain.PuffinsAtRisk} tells which tables need one of the two.
 */
@NullMarked
package io.github.icebergext.dv.maintain;

import org.jspecify.annotations.NullMarked;
