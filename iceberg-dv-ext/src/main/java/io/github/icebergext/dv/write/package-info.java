/**
 * New vectors: positions are collected, united with the previous deletes, written and committed.
 *
 * <p>Read {@link io.github.icebergext.dv.write.DeletionVectorWriter} first, then {@link
 * io.github.icebergext.dv.write.PreviousDeletes}, {@link io.github.icebergext.dv.write.FlushResult}
 * and {@link io.github.icebergext.dv.write.DeletionVectorCommit}, which tries a commit again and
 * decides what becomes of its files when it fails. Positions wait in {@code PositionBuffer}; a
 * flush is {@code VectorFlush}: each data file is paired with what it has ({@code Replacement}),
 * and {@code RollingPuffinWriter} writes the Puffin files.
 */
@NullMarked
package io.github.icebergext.dv.write;

import org.jspecify.annotations.NullMarked;
