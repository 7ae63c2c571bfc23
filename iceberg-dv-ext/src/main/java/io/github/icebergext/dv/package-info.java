/**
 * The deletion vector: its value, its bytes, where it is, and what is thrown if it breaks a rule.
 *
 * <p>Read {@link io.github.icebergext.dv.DeletedPositions} first, the value that callers have; then
 * {@link io.github.icebergext.dv.DeletionVectorCodec}, which checks and decodes, with the byte
 * table in {@code VectorParser}; then {@link io.github.icebergext.dv.DeletionVectorEntry}, what a
 * manifest says of a vector. The views ({@code ArrayView}, {@code BitsetView}, {@code RunView})
 * answer from the encoded bytes; {@code VectorWriter} writes them.
 *
 * <p>No file is opened and no manifest is read here, and no other package of this library is used
 * but the container, {@code io.github.icebergext.puffin}.
 *
 * @see <a href="https://iceberg.apache.org/spec/#deletion-vectors">Iceberg table spec, deletion
 *     vectors</a>
 */
@NullMarked
package io.github.icebergext.dv;

import org.jspecify.annotations.NullMarked;
