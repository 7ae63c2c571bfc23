package io.github.icebergext.puffin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.iceberg.puffin.PuffinCompressionCodec;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every codec, with other implementations of it as oracles. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CompressionContract {
  private static final PuffinLimits DEFAULTS = PuffinLimits.defaults();
  private static final byte[] TEXT = text(40);
  private static final byte[] NOISE = noise();
  private static final byte[] MIXED = mixed();

  abstract PuffinCompressionCodec codec();

  /** Other implementations, each with options of its own. */
  abstract List<Peer> writers();

  abstract List<Peer> readers();

  /** Returns a small frame of {@code content} that carries no checksum over it. */
  abstract byte[] withoutContentChecksum(byte[] content);

  /** Returns a frame that is legal except that it holds nothing and declares this size. */
  abstract byte[] declaring(long contentSize);

  /** Turns bytes into other bytes. */
  interface Coder {
    byte[] apply(byte[] bytes) throws IOException;
  }

  /** One direction of another implementation. */
  record Peer(String name, Coder coder) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** What is compressed. */
  enum Content {
    ONE_BYTE,
    SHORT_TEXT,
    LONG_TEXT,
    ZEROS,
    NOISE,
    MIXED;

    byte[] bytes() {
      return switch (this) {
        case ONE_BYTE -> new byte[] {42};
        case SHORT_TEXT -> text(40);
        case LONG_TEXT -> text(8_000);
        case ZEROS -> new byte[300_000];
        case NOISE -> CompressionContract.NOISE.clone();
        case MIXED -> CompressionContract.MIXED.clone();
      };
    }
  }

  private static byte[] noise() {
    byte[] noise = new byte[70_000];
    new Random(7).nextBytes(noise);
    return noise;
  }

  /** Noise and text in turns: some blocks shrink, others do not, and blocks of any size end. */
  private static byte[] mixed() {
    Random random = new Random(8);
    byte[] text = text(1_000);
    ByteBuffer mixed = ByteBuffer.allocate(9_000_000);
    while (mixed.position() < mixed.capacity() - NOISE.length) {
      mixed.put(random.nextBoolean() ? NOISE : text);
    }
    return Arrays.copyOf(mixed.array(), mixed.position());
  }

  private static byte[] text(int lines) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < lines; i++) {
      text.append("{\"offset\": ").append(i * 7919L % 10_007).append(", \"length\": 40}\n");
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @EnumSource
  void whatIsCompressedDecompressesToTheSame(Content content) {
    assertThat(decompress(compress(content.bytes()))).isEqualTo(content.bytes());
  }

  @Test
  void contentOfEverySizeComesBack() {
    byte[] bytes = TEXT;
    for (int size = 0; size <= bytes.length; size++) {
      byte[] content = Arrays.copyOf(bytes, size);
      assertThat(decompress(compress(content))).isEqualTo(content);
    }
  }

  @Test
  void contentAroundEveryWidthOfItsSizeComesBack() {
    for (int size : new int[] {255, 256, 257, 65_535, 65_536, 65_791, 65_792, 131_072, 131_073}) {
      byte[] content = new byte[size];
      new Random(size).nextBytes(content);
      assertThat(decompress(compress(content))).isEqualTo(content);
    }
  }

  @ParameterizedTest
  @EnumSource
  void otherImplementationsReadWhatIsWritten(Content content) throws IOException {
    for (Peer reader : readers()) {
      byte[] read = reader.coder().apply(compress(content.bytes()));
      assertThat(read).as(reader.name()).isEqualTo(content.bytes());
    }
  }

  @ParameterizedTest
  @MethodSource("readers")
  void otherImplementationsReadAnEmptyFrame(Peer reader) throws IOException {
    assertThat(reader.coder().apply(compress(new byte[0]))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("writers")
  void whatOtherImplementationsWriteIsRead(Peer writer) throws IOException {
    for (Content content : Content.values()) {
      byte[] stored = writer.coder().apply(content.bytes());
      assertThat(decompress(stored)).as(content.name()).isEqualTo(content.bytes());
    }
  }

  @Test
  void sameContentIsCompressedToTheSameBytes() {
    assertThat(compress(TEXT)).isEqualTo(compress(TEXT.clone()));
  }

  // The position of the buffer counts: apache/iceberg PuffinFormat ignores it.
  @ParameterizedTest
  @EnumSource
  void buffersOfEveryKindAreReadFromPositionToLimit(Placing placing) {
    ByteBuffer stored = placing.of(compress(TEXT));
    ByteBuffer before = stored.duplicate().order(stored.order());

    ByteBuffer content = PuffinCompression.decompress(codec(), stored, DEFAULTS);

    assertThat(content).isEqualTo(ByteBuffer.wrap(TEXT));
    assertUntouched(stored, before);
  }

  @ParameterizedTest
  @EnumSource
  void buffersOfEveryKindAreCompressedFromPositionToLimit(Placing placing) {
    ByteBuffer data = placing.of(TEXT);
    ByteBuffer before = data.duplicate().order(data.order());

    ByteBuffer stored = PuffinCompression.compress(codec(), data);

    assertThat(stored).isEqualTo(ByteBuffer.wrap(compress(TEXT)));
    assertUntouched(data, before);
  }

  private static void assertUntouched(ByteBuffer buffer, ByteBuffer before) {
    assertThat(buffer.position()).isEqualTo(before.position());
    assertThat(buffer.limit()).isEqualTo(before.limit());
    assertThat(buffer.order()).isEqualTo(before.order());
  }

  /** A way to place bytes in a buffer, from its position to its limit. */
  enum Placing {
    WHOLE_ARRAY,
    INSIDE_ARRAY,
    SLICE,
    DIRECT,
    READ_ONLY,
    LITTLE_ENDIAN;

    ByteBuffer of(byte[] bytes) {
      ByteBuffer room =
          this == DIRECT
              ? ByteBuffer.allocateDirect(bytes.length + 8)
              : ByteBuffer.allocate(bytes.length + 8);
      room.position(3).put(bytes).position(3).limit(3 + bytes.length);
      return switch (this) {
        case WHOLE_ARRAY -> ByteBuffer.wrap(bytes);
        case INSIDE_ARRAY, DIRECT -> room;
        case SLICE -> room.slice();
        case READ_ONLY -> room.asReadOnlyBuffer();
        case LITTLE_ENDIAN -> room.order(ByteOrder.LITTLE_ENDIAN);
      };
    }
  }

  @Test
  void resultHasAnArrayOfItsOwn() {
    ByteBuffer content = PuffinCompression.decompress(codec(), stored(TEXT), DEFAULTS);
    assertOwnArray(content);
    assertOwnArray(PuffinCompression.compress(codec(), ByteBuffer.wrap(TEXT)));
  }

  static void assertOwnArray(ByteBuffer buffer) {
    assertThat(buffer.hasArray()).isTrue();
    assertThat(buffer.position()).isZero();
    assertThat(buffer.arrayOffset() + buffer.array().length).isEqualTo(buffer.limit());
  }

  @Test
  void nothingIsNoFrame() {
    assertRefused(
        () -> decompress(new byte[0]),
        Reason.COMPRESSED_DATA,
        "magic at byte 0 needs 4 bytes, but the data ends after 0");
  }

  @Test
  void everyPrefixIsRefused() {
    for (byte[] stored : List.of(compress(TEXT), withoutContentChecksum(TEXT))) {
      for (int length = 0; length < stored.length; length++) {
        byte[] prefix = Arrays.copyOf(stored, length);
        assertRefused(() -> decompress(prefix), Reason.COMPRESSED_DATA, "");
      }
    }
  }

  @Test
  void everyFlippedBitIsFoundOrHarmlessWhereContentHasAChecksum() {
    flips(compress(TEXT))
        .map(this::contentUnlessRefused)
        .flatMap(Optional::stream)
        .forEach(content -> assertThat(content).isEqualTo(TEXT));
  }

  @Test
  void everyFlippedBitIsFoundOrKeepsTheSizeWhereContentHasNoChecksum() {
    flips(withoutContentChecksum(TEXT))
        .map(this::contentUnlessRefused)
        .flatMap(Optional::stream)
        .forEach(content -> assertThat(content).hasSameSizeAs(TEXT));
  }

  private static Stream<byte[]> flips(byte[] stored) {
    return IntStream.range(0, stored.length * 8)
        .mapToObj(
            bit -> {
              byte[] flipped = stored.clone();
              flipped[bit / 8] ^= (byte) (1 << bit % 8);
              return flipped;
            });
  }

  @Test
  void randomlyDamagedFramesAreReadOrRefusedInBoundedMemory() {
    Random random = new Random(20_260_101);
    List<byte[]> frames = List.of(compress(TEXT), withoutContentChecksum(TEXT));
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = damaged(frames.get(i % frames.size()), random);
      long before = allocatedBytes();
      Optional<byte[]> content = contentUnlessRefused(damaged);
      assertThat(allocatedBytes() - before).isLessThan(4 << 20);
      content.ifPresent(bytes -> assertThat(bytes).hasSizeLessThanOrEqualTo(1 << 20));
    }
  }

  private static byte[] damaged(byte[] frame, Random random) {
    byte[] damaged = Arrays.copyOf(frame, frame.length + random.nextInt(3) - 1);
    for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
      // Mostly at the start, where the headers are.
      int bound = random.nextBoolean() ? 24 : damaged.length;
      damaged[random.nextInt(bound)] = (byte) random.nextInt();
    }
    return damaged;
  }

  private static long allocatedBytes() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  private Optional<byte[]> contentUnlessRefused(byte[] stored) {
    try {
      return Optional.of(decompress(stored));
    } catch (PuffinFormatException refused) {
      assertThat(refused.reason()).isIn(Reason.COMPRESSED_DATA, Reason.LIMIT);
      return Optional.empty();
    }
  }

  @Test
  void oneByteAfterTheFrameIsRefused() {
    byte[] stored = compress(TEXT);
    assertRefused(
        () -> decompress(concat(stored, new byte[1])),
        Reason.COMPRESSED_DATA,
        "trailing data at byte " + stored.length + " (1 bytes), expected the end after one frame");
  }

  @Test
  void bytesAfterTheFrameAreRefused() {
    byte[] stored = compress(TEXT);
    assertRefused(
        () -> decompress(concat(stored, new byte[12])),
        Reason.COMPRESSED_DATA,
        "trailing data at byte " + stored.length + " (12 bytes), expected the end after one frame");
  }

  @Test
  void secondFrameIsRefused() {
    byte[] stored = compress(TEXT);
    assertRefused(
        () -> decompress(concat(stored, stored)),
        Reason.COMPRESSED_DATA,
        codec().codecName()
            + " frame at byte "
            + stored.length
            + " ("
            + stored.length
            + " bytes), expected the end after one frame");
  }

  @Test
  void skippableFrameIsRefusedBehindAndBefore() {
    byte[] stored = compress(TEXT);
    byte[] skippable = {0x5A, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 'h', 'i'};
    assertRefused(
        () -> decompress(concat(stored, skippable)),
        Reason.COMPRESSED_DATA,
        "a skippable frame at byte " + stored.length + " (10 bytes), expected the end");
    assertRefused(
        () -> decompress(concat(skippable, stored)),
        Reason.COMPRESSED_DATA,
        "magic at byte 0 is 0x184d2a5a (a skippable frame), expected 0x");
  }

  @Test
  void sizeUpToTheLimitIsRead() {
    PuffinLimits limits = PuffinLimits.builder().maxDecompressedBytes(TEXT.length).build();
    ByteBuffer content = PuffinCompression.decompress(codec(), stored(TEXT), limits);
    assertThat(content).isEqualTo(ByteBuffer.wrap(TEXT));
  }

  @Test
  void sizeOverTheLimitIsRefused() {
    PuffinLimits limits = PuffinLimits.builder().maxDecompressedBytes(TEXT.length - 1).build();
    assertRefused(
        () -> PuffinCompression.decompress(codec(), stored(TEXT), limits),
        Reason.LIMIT,
        "is " + TEXT.length + " bytes, over the limit maxDecompressedBytes " + (TEXT.length - 1));
  }

  // apache/iceberg PuffinFormat allocates what a frame of 9 bytes declares.
  @ParameterizedTest
  @MethodSource("hostileSizes")
  void hostileSizeIsRefusedBeforeItIsAllocated(long contentSize) {
    PuffinLimits limits = PuffinLimits.builder().maxDecompressedBytes(Integer.MAX_VALUE).build();
    ByteBuffer stored = ByteBuffer.wrap(declaring(contentSize));
    long before = allocatedBytes();
    assertRefused(
        () -> PuffinCompression.decompress(codec(), stored, limits),
        Reason.LIMIT,
        "is " + Long.toUnsignedString(contentSize) + " bytes, over the limit max");
    assertThat(allocatedBytes() - before).isLessThan(1 << 20);
  }

  static long[] hostileSizes() {
    return new long[] {
      1_500_000_000,
      Integer.MAX_VALUE - 8,
      Integer.MAX_VALUE,
      1L << 31,
      1L << 32,
      Long.MAX_VALUE,
      Long.MIN_VALUE,
      -1
    };
  }

  @Test
  void ratioOverTheLimitIsRefusedOnceTheContentIsOverOneMebibyte() {
    PuffinLimits limits = PuffinLimits.builder().maxDecompressionRatio(1).build();
    byte[] small = new byte[1 << 20];
    byte[] large = new byte[(1 << 20) + 1];
    ByteBuffer dense = stored(large);

    assertThat(PuffinCompression.decompress(codec(), stored(small), limits))
        .isEqualTo(ByteBuffer.wrap(small));
    assertRefused(
        () -> PuffinCompression.decompress(codec(), dense, limits),
        Reason.LIMIT,
        "is 1048577 bytes, over the limit maxDecompressionRatio 1 times the "
            + dense.remaining()
            + " stored bytes");
  }

  @Test
  void withinRatioForetellsWhatIsRead() {
    byte[] zeros = new byte[3 << 20];
    ByteBuffer stored = stored(zeros);
    int ratio = zeros.length / stored.remaining();
    PuffinLimits below = PuffinLimits.builder().maxDecompressionRatio(ratio).build();
    PuffinLimits above = PuffinLimits.builder().maxDecompressionRatio(ratio + 1).build();

    assertThat(PuffinCompression.withinRatio(stored.remaining(), zeros.length, below)).isFalse();
    assertRefused(
        () -> PuffinCompression.decompress(codec(), stored, below), Reason.LIMIT, "maxDecomp");
    assertThat(PuffinCompression.withinRatio(stored.remaining(), zeros.length, above)).isTrue();
    assertThat(PuffinCompression.decompress(codec(), stored, above))
        .isEqualTo(ByteBuffer.wrap(zeros));
  }

  final byte[] compress(byte[] content) {
    return array(PuffinCompression.compress(codec(), ByteBuffer.wrap(content)));
  }

  final ByteBuffer stored(byte[] content) {
    return ByteBuffer.wrap(compress(content));
  }

  final byte[] decompress(byte[] stored) {
    return array(PuffinCompression.decompress(codec(), ByteBuffer.wrap(stored), DEFAULTS));
  }

  final void assertRefused(ThrowingCallable call, Reason reason, String message) {
    String codec = codec().codecName();
    assertThatExceptionOfType(PuffinFormatException.class)
        .isThrownBy(call)
        .withMessageStartingWith("Cannot decompress " + codec + " frame: ")
        .withMessageContaining(message)
        .extracting(PuffinFormatException::reason)
        .isEqualTo(reason);
  }

  static byte[] array(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  static byte[] concat(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
