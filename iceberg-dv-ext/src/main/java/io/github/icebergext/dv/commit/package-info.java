/**
 * What a commit of deletes has to know: whether entries would leave a table that readers can read.
 *
 * <p>{@link io.github.icebergext.dv.commit.CommitValidation} checks the entries of anyone's commit.
 * What others did since a snapshot is in {@code commit.internal}. Knows no writer.
 */
@NullMarked
package io.github.icebergext.dv.commit;

import org.jspecify.annotations.NullMarked;
