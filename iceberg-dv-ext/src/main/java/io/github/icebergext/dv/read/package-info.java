/**
 * Vectors read through their manifest entries, and proven to be the right ones.
 *
 * <p>Read {@link io.github.icebergext.dv.read.DeletionVectorReader} first. A single read goes
 * {@code VectorRequest} → {@code FileRead} → {@code VectorCheck}. A batch is {@code BatchRead}:
 * {@code BatchIterator} takes items in windows ({@code ReadWindow}) of at most half the bytes in
 * flight, {@code WindowFile} is the part of a window that lies in one file, {@code BatchItem} the
 * place of one item. {@code FooterTail} finds a footer in what was read; footers are kept by {@code
 * FooterMemo} for a batch and by {@link io.github.icebergext.dv.read.FooterCache} for a reader.
 * What is no Puffin file is judged by {@link io.github.icebergext.dv.read.ForeignContainerPolicy}.
 *
 * <p>No manifest is read and nothing is written here.
 */
@NullMarked
package io.github.icebergext.dv.read;

import org.jspecify.annotations.NullMarked;
