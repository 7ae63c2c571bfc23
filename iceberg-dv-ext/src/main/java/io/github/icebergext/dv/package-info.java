/**
 * Deletion vectors: decoded and encoded, read through manifest entries and checked against them,
 * written as delete files ready for a row delta.
 *
 * @see <a href="https://iceberg.apache.org/spec/#deletion-vectors">Iceberg table spec, deletion
 *     vectors</a>
 */
@NullMarked
package io.github.icebergext.dv;

import org.jspecify.annotations.NullMarked;
