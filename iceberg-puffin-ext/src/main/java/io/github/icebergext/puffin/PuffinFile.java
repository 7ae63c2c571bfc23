package io.github.icebergext.puffin;

import org.apache.iceberg.GenericBlobMetadata;
import org.apache.iceberg.GenericStatisticsFile;
import org.apache.iceberg.StatisticsFile;

/**
 * The facts of a Puffin file that was written.
 *
 * <p>Immutable and thread-safe.
 *
 * @param location where the file is
 * @param fileSizeInBytes its size as stored: for an encrypted file, that of the ciphertext
 * @param footer its footer; offsets in it count bytes before encryption
 */
public record PuffinFile(String location, long fileSizeInBytes, PuffinFooter footer) {
  /**
   * Returns the entry of this file for {@code table.updateStatistics().setStatistics(…)}, with all
   * its blobs.
   *
   * @param snapshotId the snapshot whose statistics the file holds
   */
  public StatisticsFile statisticsFile(long snapshotId) {
    return new GenericStatisticsFile(
        snapshotId,
        location,
        fileSizeInBytes,
        footer.sizeInBytes(),
        GenericBlobMetadata.from(footer.blobs()));
  }
}
