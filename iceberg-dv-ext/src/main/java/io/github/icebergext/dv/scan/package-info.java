/**
 * For planners and engines: the deletes of scan tasks.
 *
 * <p>{@link io.github.icebergext.dv.scan.ScanDeletes} reads all deletes by position of tasks,
 * {@link io.github.icebergext.dv.scan.LiveRowCount} counts rows without a read, {@link
 * io.github.icebergext.dv.scan.TaskWeight} weighs tasks for packing.
 *
 * <p>Works on tasks as planned; manifests are not read here.
 */
@NullMarked
package io.github.icebergext.dv.scan;

import org.jspecify.annotations.NullMarked;
