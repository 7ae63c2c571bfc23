package io.github.icebergext.puffin;

/**
 * Is told of every request that a reader sends to the storage, for a host's metrics.
 *
 * <p>Called in the thread that sends the request, which is any of the executor's where there is
 * one: implementations are thread-safe and quick. What a listener throws is logged once a reader
 * and otherwise ignored: figures are worth less than the read.
 */
@FunctionalInterface
public interface RequestListener {
  /**
   * Is called before a request is sent, whether or not it succeeds then.
   *
   * @param location the file's location
   * @param range the bytes asked for
   */
  void requested(String location, ByteRange range);
}
