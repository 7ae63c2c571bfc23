/**
 * Puffin files: the container of statistics and deletion-vector blobs, read and written on
 * Iceberg's own I/O.
 *
 * @see <a href="https://iceberg.apache.org/puffin-spec/">Puffin spec</a>
 */
@NullMarked
package io.github.icebergext.puffin;

import org.jspecify.annotations.NullMarked;
