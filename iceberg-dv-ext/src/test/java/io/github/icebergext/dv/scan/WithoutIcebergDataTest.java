package io.github.icebergext.dv.scan;

import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestScans.deleted;
import static io.github.icebergext.testing.TestScans.list;
import static io.github.icebergext.testing.TestScans.positionDeletes;
import static io.github.icebergext.testing.TestScans.task;
import static io.github.icebergext.testing.TestTables.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestScans;
import io.github.icebergext.testing.TestTables;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.Test;

/** What the library does where iceberg-data, which is optional, is not on the class path. */
class WithoutIcebergDataTest {
  @Test
  void readsVectors() throws Exception {
    run(ReadsVectors.class);
  }

  @Test
  void namesWhatPositionDeletesNeed() throws Exception {
    run(NamesWhatPositionDeletesNeed.class);
  }

  @Test
  void namesWhatTheFirstVectorOfADataFileWithPositionDeletesNeeds() throws Exception {
    run(FoldsNoPositionDeletes.class);
  }

  static final class FoldsNoPositionDeletes implements Runnable {
    @Override
    public void run() {
      RecordingFileIO storage = RecordingFileIO.rangeReadable();
      Table table = TestTables.withFiles(storage, PartitionSpec.unpartitioned(), 2);
      DataFile data = append(table, "data");
      table
          .newRowDelta()
          .addDeletes(positionDeletes(storage, "memory://deletes.avro", List.of(deleted(data, 1))))
          .commit();
      table.updateProperties().set(TableProperties.FORMAT_VERSION, "3").commit();
      try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
        writer.delete(data, 2);

        assertThatThrownBy(writer::flush)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageStartingWith(
                "Cannot read AVRO position delete file memory://deletes.avro: it takes"
                    + " org.apache.iceberg:iceberg-data and what that needs for the format");
      }
      assertThat(storage.locations()).noneMatch(location -> location.endsWith(".puffin"));
    }
  }

  static final class ReadsVectors implements Runnable {
    @Override
    public void run() {
      RecordingFileIO storage = RecordingFileIO.rangeReadable();
      Table table = TestTables.unpartitioned(storage);
      DataFile data = append(table, "data");
      try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
        writer.delete(data, positions(1, 2));
        writer.flush().applyTo(table.newRowDelta()).commit();
      }

      List<FileScanTask> tasks = TestScans.plan(table);
      List<TaskDeletes> deletes = list(ScanDeletes.of(table).read(tasks));

      assertThat(deletes).extracting(TaskDeletes::positions).containsExactly(positions(1, 2));
      assertThat(LiveRowCount.of(tasks).rows()).isEqualTo(98);
      assertThat(TaskWeight.withOpenFileCost(0).of(tasks)).isGreaterThan(1000);
    }
  }

  static final class NamesWhatPositionDeletesNeed implements Runnable {
    @Override
    public void run() {
      RecordingFileIO storage = RecordingFileIO.rangeReadable();
      DataFile data = append(TestTables.unpartitioned(), "data");
      DeleteFile deletes =
          positionDeletes(storage, "memory://deletes.avro", List.of(deleted(data, 1)));
      CloseableIterable<TaskDeletes> reading =
          ScanDeletes.builder(storage).build().read(List.of(task(data, deletes)));

      assertThatThrownBy(() -> list(reading))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "Cannot read AVRO position delete file memory://deletes.avro: it takes"
                  + " org.apache.iceberg:iceberg-data and what that needs for the format, and class"
                  + " org/apache/iceberg/data/BaseDeleteLoader is not on the class path");
    }
  }

  private static void run(Class<? extends Runnable> check) throws Exception {
    ClassLoader loader = new WithoutIcebergData(check.getClassLoader());
    var constructor = loader.loadClass(check.getName()).getDeclaredConstructor();
    constructor.setAccessible(true);
    ((Runnable) constructor.newInstance()).run();
  }

  /** Loads this library's classes and their tests anew, and hides what is in iceberg-data. */
  private static final class WithoutIcebergData extends ClassLoader {
    WithoutIcebergData(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        if (name.matches("org\\.apache\\.iceberg\\.data\\.\\w*(DeleteLoader|DeleteFilter)")) {
          throw new ClassNotFoundException(name);
        }
        if (!name.startsWith("io.github.icebergext.dv.")
            && !name.startsWith("io.github.icebergext.testing.Test")) {
          return super.loadClass(name, resolve);
        }
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? define(name) : loaded;
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
