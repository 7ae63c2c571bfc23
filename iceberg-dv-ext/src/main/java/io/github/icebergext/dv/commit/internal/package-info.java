/**
 * What others did to the data files of a commit. Not API.
 *
 * <p>{@code PendingVector} is a vector to be committed. {@code ConcurrentChanges} finds what
 * happened to its data file since the previous deletes were read, {@code LiveDataFiles} whether the
 * data file is live, {@code LatePositionDeletes} which position deletes of version 2 the vector
 * would hide.
 */
@NullMarked
package io.github.icebergext.dv.commit.internal;

import org.jspecify.annotations.NullMarked;
