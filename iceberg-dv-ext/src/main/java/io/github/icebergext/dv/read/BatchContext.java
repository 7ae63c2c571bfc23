package io.github.icebergext.dv.read;

/**
 * What the windows of an iteration share.
 *
 * @param read how the reader reads
 * @param memo the footers of earlier windows
 * @param threads help to read
 */
record BatchContext(ReadContext read, FooterMemo memo, ReadThreads threads) {}
