package io.github.icebergext.dv.read;

import static io.github.icebergext.testing.TestEntries.DATA_FILE;
import static io.github.icebergext.testing.TestEntries.PUFFIN;
import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestEntries.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.RecordingListener;
import io.github.icebergext.testing.TestPuffin;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.PartitionSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** cudf-spark#15755, iceberg#11648: caches are there for who asks for them. */
class ReadCachesTest {
  private final RecordingFileIO io = RecordingFileIO.rangeReadable();
  private final RecordingListener listener = new RecordingListener();
  private final DeletionVectorCache vectors = DeletionVectorCache.ofMaxBytes(1 << 20);
  private final FooterCache footers = FooterCache.ofMaxBytes(1 << 20);
  private final List<DeleteFile> entries =
      new TestPuffin(PUFFIN).vector(DATA_FILE, 1, 2).vector("b", 3, 4).padding(1 << 20).store(io);
  private final DeleteFile entry = entries.get(0);

  private DeletionVectorReader.Builder builder() {
    return DeletionVectorReader.builder(io).withListener(listener);
  }

  private DeletionVectorReader cachingVectors(ReadCheck check) {
    return builder().withCheck(check).withVectorCache(vectors).build();
  }

  private static void assertRefused(DeletionVectorReader reader, DeleteFile entry, Reason reason) {
    assertThatThrownBy(() -> reader.read(entry))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @ParameterizedTest
  @EnumSource(ReadCheck.class)
  void aCachedVectorCostsNoRequest(ReadCheck check) {
    DeletionVectorReader reader = cachingVectors(check);
    DeletedPositions first = reader.read(entry);
    io.forget();

    assertThat(reader.read(entry)).isSameAs(first);
    assertThat(reader.readAll(List.of(entry, entry)).iterator().next().positions()).isSameAs(first);

    assertThat(io.requests()).isZero();
    assertThat(listener.cachedVectors()).hasSize(3).containsOnly(DeletionVectorIdentity.of(entry));
    assertThat(vectors.figures())
        .satisfies(
            figures -> {
              assertThat(figures.hits()).isEqualTo(3);
              assertThat(figures.misses()).isEqualTo(1);
              assertThat(figures.entries()).isEqualTo(1);
              assertThat(figures.bytes()).isGreaterThan(first.retainedSizeInBytes());
            });
  }

  @Test
  void aBatchFillsTheCache() {
    cachingVectors(ReadCheck.FULL).readAll(entries).forEach(vector -> {});
    io.forget();

    assertThat(list(cachingVectors(ReadCheck.FULL).read(entries.get(1)))).containsExactly(3L, 4L);
    assertThat(io.requests()).isZero();
  }

  // timefusion#220, paimon#8206, starrocks#76228: neither the data file nor the Puffin is the key
  @Test
  void siblingsInOneFileAreNotMistakenForEachOther() {
    DeletionVectorReader reader = cachingVectors(ReadCheck.FULL);

    assertThat(list(reader.read(entries.get(0)))).containsExactly(1L, 2L);
    assertThat(list(reader.read(entries.get(1)))).containsExactly(3L, 4L);
    DeleteFile successor =
        with(with(entries.get(1), "referencedDataFile", DATA_FILE), "location", "s3://bucket/2");
    io.put(
        "s3://bucket/2",
        new TestPuffin("")
            .padding(entries.get(0).contentSizeInBytes().intValue())
            .vector(DATA_FILE, 8, 9)
            .toBytes());
    assertThat(list(reader.read(with(successor, "fileSizeInBytes", -1L)))).containsExactly(8L, 9L);
  }

  @Test
  void aCachedVectorIsComparedWithTheEntryAtHand() {
    DeletionVectorReader reader = cachingVectors(ReadCheck.FULL);
    reader.read(entry);

    assertRefused(reader, with(entry, "recordCount", 0L), Reason.CARDINALITY);
    assertRefused(reader, with(entry, "referencedDataFile", "b"), Reason.REFERENCED_DATA_FILE);
    DataFile small =
        DataFiles.builder(PartitionSpec.unpartitioned())
            .withPath(DATA_FILE)
            .withFormat("parquet")
            .withFileSizeInBytes(100)
            .withRecordCount(2)
            .build();
    assertThatThrownBy(() -> reader.read(entry, small))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.POSITION_RANGE));
    assertThat(listener.cachedVectors()).hasSize(3);
  }

  @Test
  void whatWasOnlyCheckedAgainstItsEntryNeverServesAFullRead() {
    DeleteFile swapped = with(entry, "contentOffset", entries.get(1).contentOffset());
    cachingVectors(ReadCheck.ENTRY).read(swapped);

    assertRefused(cachingVectors(ReadCheck.FULL), swapped, Reason.REFERENCED_DATA_FILE);
    assertThat(listener.cachedVectors()).isEmpty();
  }

  @Test
  void whatWasCheckedInFullServesAnEntryReadAndIsNotReplacedByOne() {
    DeletedPositions full = cachingVectors(ReadCheck.FULL).read(entry);
    assertThat(cachingVectors(ReadCheck.ENTRY).read(entry)).isSameAs(full);

    vectors.put(DeletionVectorIdentity.of(entry), new CachedVector(positions(1, 2), null));
    assertThat(cachingVectors(ReadCheck.FULL).read(entry)).isSameAs(full);
  }

  @Test
  void aVectorOfAForeignFileIsCheckedAndWarnedOfEachTime() {
    byte[] bare = TestPuffin.encoded(positions(5));
    io.put("s3://bucket/bare", bare);
    DeleteFile foreign =
        TestPuffin.entry("s3://bucket/bare", bare.length, DATA_FILE, 0, bare.length, 1);
    DeletionVectorReader warning =
        builder()
            .withVectorCache(vectors)
            .withFooterCache(footers)
            .withForeignContainers(ForeignContainerPolicy.WARN)
            .build();

    warning.read(foreign);
    warning.read(foreign);

    assertThat(listener.warnings()).hasSize(2);
    assertRefused(
        builder().withVectorCache(vectors).withFooterCache(footers).build(),
        foreign,
        Reason.NOT_PUFFIN);
  }

  @Test
  void aVectorThatWasRefusedIsNotCached() {
    assertRefused(
        cachingVectors(ReadCheck.FULL), with(entry, "recordCount", 1L), Reason.CARDINALITY);

    assertThat(vectors.figures().entries()).isZero();
  }

  @Test
  void theCacheHoldsNoMoreThanItsBytes() {
    DeletionVectorCache small = DeletionVectorCache.ofMaxBytes(10_000);
    DeletionVectorReader reader = builder().withVectorCache(small).build();
    TestPuffin puffin = new TestPuffin("s3://bucket/many");
    IntStream.range(0, 200).forEach(i -> puffin.vector("data-" + i, i));

    reader.readAll(puffin.store(io)).forEach(vector -> {});

    assertThat(small.figures().bytes()).isLessThanOrEqualTo(10_000);
    assertThat(small.figures().evictions()).isGreaterThan(100);
    assertThat(small.figures().entries() + small.figures().evictions()).isEqualTo(200);
  }

  @Test
  void aVectorLargerThanTheCacheIsRead() {
    DeletionVectorCache none = DeletionVectorCache.ofMaxBytes(0);

    assertThat(list(builder().withVectorCache(none).build().read(entry))).containsExactly(1L, 2L);
    assertThat(none.figures().entries()).isZero();
  }

  @Test
  void clearingForgetsVectorsAndFooters() {
    DeletionVectorReader reader =
        builder().withVectorCache(vectors).withFooterCache(footers).build();
    reader.read(entry);

    vectors.clear();
    footers.clear();

    assertThat(vectors.figures().bytes()).isZero();
    assertThat(footers.figures().bytes()).isZero();
    io.forget();
    reader.read(entry);
    assertThat(io.requests()).isEqualTo(2);
  }

  @Test
  void aCachedFooterSavesTheTail() {
    DeletionVectorReader reader = builder().withFooterCache(footers).build();
    reader.read(entry);
    io.forget();

    assertThat(list(reader.read(entries.get(1)))).containsExactly(3L, 4L);
    reader.readAll(entries).forEach(vector -> {});

    long size = entry.contentSizeInBytes();
    assertThat(io.file(PUFFIN).requests())
        .containsExactly(
            new ByteRange(entries.get(1).contentOffset(), size), new ByteRange(4, 2 * size));
    assertThat(listener.cachedFooters()).containsExactly(PUFFIN, PUFFIN);
    assertThat(footers.figures())
        .satisfies(
            figures -> {
              assertThat(figures.hits()).isEqualTo(2);
              assertThat(figures.misses()).isEqualTo(1);
              assertThat(figures.entries()).isEqualTo(1);
              assertThat(figures.bytes()).isPositive();
            });
  }

  @Test
  void aCachedFooterStillCatchesASwap() {
    DeletionVectorReader reader = builder().withFooterCache(footers).build();
    reader.read(entry);

    assertRefused(
        reader,
        with(entry, "contentOffset", entries.get(1).contentOffset()),
        Reason.REFERENCED_DATA_FILE);
  }

  @Test
  void aFooterIsNotThatOfAFileOfAnotherLength() {
    DeletionVectorReader reader = builder().withFooterCache(footers).build();
    reader.read(entry);
    List<DeleteFile> rewritten = new TestPuffin(PUFFIN).vector("c", 1, 2).store(io);

    assertThat(list(reader.read(rewritten.get(0)))).containsExactly(1L, 2L);
    assertThat(listener.cachedFooters()).isEmpty();
  }

  @Test
  void aCacheOfNegativeSizeIsRefused() {
    assertThatThrownBy(() -> DeletionVectorCache.ofMaxBytes(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Invalid maxBytes: -1, expected at least 0");
    assertThatThrownBy(() -> FooterCache.ofMaxBytes(-1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aCacheSaysThatItNeedsCaffeine() throws IOException, ReflectiveOperationException {
    try (URLClassLoader withoutCaffeine = new WithoutCaffeine()) {
      Class<?> cache = withoutCaffeine.loadClass(DeletionVectorCache.class.getName());
      assertThatThrownBy(() -> cache.getMethod("ofMaxBytes", long.class).invoke(null, 1L))
          .isInstanceOf(InvocationTargetException.class)
          .cause()
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("com.github.ben-manes.caffeine:caffeine is not on the class path");
    }
  }

  /** The class path without Caffeine. */
  private static final class WithoutCaffeine extends URLClassLoader {
    WithoutCaffeine() {
      super(urls(), ClassLoader.getPlatformClassLoader());
    }

    private static URL[] urls() {
      return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
          .filter(path -> !path.contains("caffeine"))
          .map(WithoutCaffeine::url)
          .toArray(URL[]::new);
    }

    private static URL url(String path) {
      try {
        return new File(path).toURI().toURL();
      } catch (MalformedURLException e) {
        throw new IllegalArgumentException(e);
      }
    }
  }
}
