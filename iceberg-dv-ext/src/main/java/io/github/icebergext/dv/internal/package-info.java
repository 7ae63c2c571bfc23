/**
 * Rules that several packages share. Not API: it may change in any release, and no public signature
 * names it.
 *
 * <p>{@code DataFileCheck} holds a vector to its data file: partition, age, rows and last position.
 * {@code AppliedDeletes} sorts the delete files of a data file. {@code SnapshotFiles} reads the
 * live entries of a snapshot's manifests. {@code PositionDeleteFiles} finds the position deletes of
 * version 2 of a data file, {@code PositionDeleteLoader} reads them. {@code FooterIndex} knows the
 * blobs of a Puffin file by their bytes. {@code IcebergFeatures} is the only class that knows
 * differences between versions of Iceberg. {@code Location} compares locations by path.
 *
 * <p>Nothing here reads a vector or keeps state between calls, but for the caches of {@code
 * PositionDeleteLoader}.
 */
@NullMarked
package io.github.icebergext.dv.internal;

import org.jspecify.annotations.NullMarked;
