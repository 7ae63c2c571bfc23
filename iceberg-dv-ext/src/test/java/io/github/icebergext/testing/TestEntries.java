package io.github.icebergext.testing;

import io.github.icebergext.dv.DeletedPositions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.jspecify.annotations.Nullable;

/** Delete files, also such as Iceberg's builder refuses but other writers' manifests hold. */
public final class TestEntries {
  public static final String PUFFIN = "s3://bucket/deletes.puffin";
  public static final String DATA_FILE = "s3://bucket/data.parquet";

  private TestEntries() {}

  /** Returns a vector of 2 positions at bytes 4 to 48. */
  public static DeleteFile vector() {
    return vector(PUFFIN, 4, 44, 2);
  }

  public static DeleteFile vector(String location, long offset, long size, long recordCount) {
    return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
        .ofPositionDeletes()
        .withFormat(FileFormat.PUFFIN)
        .withPath(location)
        .withFileSizeInBytes(500)
        .withReferencedDataFile(DATA_FILE)
        .withContentOffset(offset)
        .withContentSizeInBytes(size)
        .withRecordCount(recordCount)
        .build();
  }

  /** Returns {@code deleteFile} with another answer of the named method. */
  public static DeleteFile with(DeleteFile deleteFile, String method, @Nullable Object answer) {
    return with(deleteFile, DeleteFile.class, method, answer);
  }

  /** Returns {@code object}, which is of type {@code type}, with another answer of a method. */
  public static <T> T with(T object, Class<T> type, String method, @Nullable Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            TestEntries.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              if (called.getName().equals(method)) {
                return answer;
              }
              try {
                return called.invoke(object, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  public static DeletedPositions positions(long... positions) {
    DeletedPositions.Builder builder = DeletedPositions.builder();
    for (long position : positions) {
      builder.add(position);
    }
    return builder.build();
  }

  public static List<Long> list(DeletedPositions positions) {
    List<Long> list = new ArrayList<>();
    positions.forEach(list::add);
    return list;
  }

  public static Map<String, String> properties(String dataFile, long cardinality) {
    return Map.of("referenced-data-file", dataFile, "cardinality", Long.toString(cardinality));
  }
}
