package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletedPositions;

/**
 * Deletes that were not committed, as their data file was removed or overwritten meanwhile.
 *
 * @param dataFile location of the data file
 * @param positions the positions that were given, without those that were deleted already
 * @param cause what happened to the data file
 */
public record DroppedDeletes(String dataFile, DeletedPositions positions, String cause) {}
