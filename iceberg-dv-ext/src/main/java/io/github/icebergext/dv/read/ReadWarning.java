package io.github.icebergext.dv.read;

import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.puffin.Reason;
import java.util.Optional;

/**
 * Something about a vector that breaks a rule but does not keep it from being applied.
 *
 * @param identity the vector
 * @param referencedDataFile location of the data file whose rows it deletes, where the caller said
 *     so
 * @param reason the rule
 * @param message what stands there and what should
 */
public record ReadWarning(
    DeletionVectorIdentity identity,
    Optional<String> referencedDataFile,
    Reason reason,
    String message) {}
