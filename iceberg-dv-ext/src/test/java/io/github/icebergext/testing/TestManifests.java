package io.github.icebergext.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestWriter;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/** Delete manifests with what Iceberg's commits refuse but other writers' manifests hold. */
public final class TestManifests {
  /** The sequence number that the entries inherit. */
  public static final long SEQUENCE_NUMBER = 77;

  private TestManifests() {}

  /** Writes a manifest of added entries. */
  public static ManifestFile added(Table table, DeleteFile... deleteFiles) {
    return write(table, table.spec(), writer -> List.of(deleteFiles).forEach(writer::add));
  }

  public static ManifestFile write(
      Table table, PartitionSpec spec, Consumer<ManifestWriter<DeleteFile>> entries) {
    String location = table.location() + "/metadata/" + UUID.randomUUID() + ".avro";
    ManifestWriter<DeleteFile> writer =
        ManifestFiles.writeDeleteManifest(
            3,
            spec,
            table.io().newOutputFile(location),
            table.currentSnapshot() == null ? 1L : table.currentSnapshot().snapshotId());
    try (writer) {
      entries.accept(writer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return with(ManifestFile.class, writer.toManifestFile(), "sequenceNumber", SEQUENCE_NUMBER);
  }

  /** Returns the table's current snapshot with these delete manifests. */
  public static Snapshot snapshot(Table table, ManifestFile... deleteManifests) {
    return with(
        Snapshot.class, table.currentSnapshot(), "deleteManifests", List.of(deleteManifests));
  }

  /**
   * Returns {@code target} with another answer of the named method, and of the default methods that
   * call it.
   */
  public static <T> T with(Class<T> type, T target, String method, @Nullable Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            TestManifests.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              if (called.getName().equals(method)) {
                return answer;
              }
              if (called.isDefault()) {
                return InvocationHandler.invokeDefault(proxy, called, arguments);
              }
              try {
                return called.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
