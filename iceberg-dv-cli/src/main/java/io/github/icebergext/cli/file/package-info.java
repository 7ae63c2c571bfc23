/**
 * What looks into single files.
 *
 * <p>First {@code PuffinReport}, the blobs of a Puffin file: {@code BlobFacts} are the facts of
 * one, {@code BlobTable} prints them all. Then {@code VectorFinder}, which finds the vectors of any
 * file; what it found is a {@code VectorFinding} each, and {@code ShowReport} has them all.
 *
 * <p>Knows no table and opens no file itself.
 */
@NullMarked
package io.github.icebergext.cli.file;

import org.jspecify.annotations.NullMarked;
