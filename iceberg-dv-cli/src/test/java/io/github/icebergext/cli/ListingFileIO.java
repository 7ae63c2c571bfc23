package io.github.icebergext.cli;

import java.util.function.UnaryOperator;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.iceberg.io.FileInfo;

/** A {@code FileIO} whose listings the test may look at and change, each when it is asked for. */
public final class ListingFileIO extends HadoopFileIO {
  private static final long serialVersionUID = 1L;

  static volatile UnaryOperator<Iterable<FileInfo>> listing = UnaryOperator.identity();

  @Override
  public Iterable<FileInfo> listPrefix(String prefix) {
    return listing.apply(super.listPrefix(prefix));
  }
}
