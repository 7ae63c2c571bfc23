/**
 * What reads whole tables: their snapshots, manifests and folders.
 *
 * <p>First {@code TableReport}, the live vectors of a snapshot, which {@code VectorAudit} checks.
 * Then per command: {@code DiffReport}, {@code DeleteReport} with {@code PositionsFile} and {@code
 * PlannedDelete} before it, {@code OrphanSearch} with {@code ReferencedFiles} and {@code
 * OrphansReport}. {@code PuffinRisk} is what several commands say of the files at risk.
 *
 * <p>Nothing is written or committed here: {@code mend} does that, and {@code DeleteCommand}.
 */
@NullMarked
package io.github.icebergext.cli.table;

import org.jspecify.annotations.NullMarked;
