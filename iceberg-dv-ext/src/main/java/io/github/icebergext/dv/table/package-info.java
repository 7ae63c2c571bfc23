/**
 * For tools: snapshots as their manifests have them.
 *
 * <p>{@link io.github.icebergext.dv.table.LiveDeletes} are the live deletes of a snapshot, {@link
 * io.github.icebergext.dv.table.DeletesBetween} what two snapshots differ by ({@code
 * SnapshotComparison} finds the data files, {@code DataFileComparison} compares one), {@link
 * io.github.icebergext.dv.table.FullyDeletedFiles} the data files whose rows are all deleted.
 *
 * <p>Nothing is written or committed here.
 */
@NullMarked
package io.github.icebergext.dv.table;

import org.jspecify.annotations.NullMarked;
