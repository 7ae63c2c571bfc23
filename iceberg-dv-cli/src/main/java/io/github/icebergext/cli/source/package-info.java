/**
 * Which table the command line names, and where its files are.
 *
 * <p>First {@code TableSource}, which opens the table: through its catalog, or from a metadata
 * file, which {@code MetadataFolder} finds and {@code FormatVersion} checks before Iceberg does.
 * {@code Storage} reads the files, {@code Relocations} tell where those of a copied warehouse are.
 *
 * <p>Nothing here looks at deletes or prints.
 */
@NullMarked
package io.github.icebergext.cli.source;

import org.jspecify.annotations.NullMarked;
