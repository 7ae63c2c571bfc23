package io.github.icebergext.puffin;

import org.apache.iceberg.StatisticsFile;

/**
 * The facts of a Puffin file that was written.
 *
 * @param location where the file is
 * @param fileSizeInBytes its size as stored: for an encrypted file, that of the ciphertext
 * @param footer its footer
 */
public record PuffinFile(String location, long fileSizeInBytes, PuffinFooter footer) {
  /** Returns the entry of this file for {@code table.updateStatistics()}. */
  public StatisticsFile statisticsFile(long snapshotId) {
    throw new UnsupportedOperationException();
  }
}
