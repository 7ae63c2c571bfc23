package io.github.icebergext.puffin;

import static io.github.icebergext.puffin.FooterBytes.assertSameContent;
import static io.github.icebergext.puffin.FooterBytes.file;
import static io.github.icebergext.puffin.FooterBytes.parse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Footers damaged in every way there is, and footers made to cost: they parse, and then to what can
 * be written back, or are refused, in memory bounded by their size.
 */
class PuffinFooterSweepTest {
  private static final int MUTATIONS = 10_000;
  private static final int HOSTILE_BYTES = 12 << 20;

  private static final byte[][] SYNTAX =
      Stream.of(
              "{",
              "}",
              "[",
              "]",
              "\"",
              ":",
              ",",
              "\\",
              "\\u",
              "null",
              "-",
              "e9",
              "0",
              "99999999999",
              " ")
          .map(text -> text.getBytes(StandardCharsets.US_ASCII))
          .toArray(byte[][]::new);

  static Stream<byte[]> goldenFiles() {
    byte[] iceberg = FooterBytes.icebergFile();
    PuffinFooter footer = parse(iceberg);
    return Stream.of(
        iceberg,
        behindBlobs(new PuffinFooter(footer.blobs(), footer.properties(), true, 8, 16)),
        file("{ \"x\" : [ 1e9 , { } ] , \"blobs\" : [ ] , \"properties\" : null }"));
  }

  @ParameterizedTest
  @MethodSource("goldenFiles")
  void everyPrefixIsRefused(byte[] file) {
    for (int size = 0; size < file.length; size++) {
      assertThat(parses(Arrays.copyOf(file, size))).isFalse();
    }
  }

  @ParameterizedTest
  @MethodSource("goldenFiles")
  void everySuffixParsesOrIsRefused(byte[] file) {
    for (int start = 1; start < file.length; start++) {
      parses(Arrays.copyOfRange(file, start, file.length));
    }
  }

  @ParameterizedTest
  @MethodSource("goldenFiles")
  void everyBitFlipParsesOrIsRefused(byte[] file) {
    for (int bit = 0; bit < file.length * 8; bit++) {
      byte[] damaged = file.clone();
      damaged[bit / 8] ^= (byte) (1 << (bit % 8));
      parses(damaged);
    }
  }

  @ParameterizedTest
  @MethodSource("goldenFiles")
  void randomMutationsParseOrAreRefused(byte[] file) {
    Random random = new Random(file.length);
    for (int i = 0; i < MUTATIONS; i++) {
      parses(mutated(file, random));
    }
  }

  static Stream<Arguments> hostile() {
    String blob =
        "{'type':'','fields':[],'snapshot-id':0,'sequence-number':0,'offset':4,'length':0";
    return Stream.of(
        hostile("empty objects for blobs", "{'blobs':[", i -> "{},", "]}"),
        hostile("smallest blobs", "{'blobs':[", i -> blob + "},", "]}"),
        hostile("blobs with a property", "{'blobs':[", i -> blob + ",'properties':{'':''}},", "]}"),
        hostile("blobs with an unknown key", "{'blobs':[", i -> blob + ",'':''},", "]}"),
        hostile("small fields", "{'blobs':[{'fields':[", i -> "1,", "]}]}"),
        hostile("large fields", "{'blobs':[{'fields':[", i -> 1000 + i % 9000 + ",", "]}]}"),
        hostile("file properties", "{'properties':{", i -> key(i) + "'',", "}}"),
        hostile("properties of a blob", "{'blobs':[{'properties':{", i -> key(i) + "'',", "}}]}"),
        hostile("unknown keys", "{", i -> key(i) + "1,", "}"),
        hostile("unknown keys of a blob", "{'blobs':[{", i -> key(i) + "1,", "}]}"),
        hostile("keys inside an unknown key", "{'x':{", i -> key(i) + "1,", "}}"),
        hostile("lists inside an unknown key", "{'x':[", i -> "[],", "]}"),
        hostile("one ignored string", "{'x':'", i -> "a", "'}"),
        hostile("one string", "{'properties':{'x':'", i -> "\u20ac", "'}}"),
        hostile("one key", "{'", i -> "a", "':1}"),
        hostile("one number", "{'x':", i -> "9", "}"),
        hostile("nesting", "{'x':", i -> "[", "}"),
        hostile("escapes", "{'properties':{'x':'", i -> "\\u0000", "'}}"),
        hostile("whitespace", "{'blobs':[]", i -> " ", "}"));
  }

  private static Arguments hostile(
      String name, String before, IntFunction<String> element, String after) {
    return arguments(name, before, element, after);
  }

  private static String key(int i) {
    return "'" + Integer.toString(i, Character.MAX_RADIX) + "':";
  }

  /** What is allocated is more than what is held at any time, so it bounds that too. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("hostile")
  void allocatesInProportionToTheFooter(
      String name, String before, IntFunction<String> element, String after) {
    StringBuilder json = new StringBuilder(before);
    for (int i = 0; json.length() < HOSTILE_BYTES; i++) {
      json.append(element.apply(i));
    }
    if (json.charAt(json.length() - 1) == ',') {
      json.setLength(json.length() - 1);
    }
    byte[] file = file(json.append(after).toString().replace('\'', '"'));

    long start = allocatedBytes();
    parsesAlone(file);
    long allocated = allocatedBytes() - start;
    assertThat(allocated).isLessThan((128L << 20) + 2L * file.length);
  }

  private static boolean parsesAlone(byte[] file) {
    try {
      parse(file);
      return true;
    } catch (PuffinFormatException refused) {
      return false;
    }
  }

  private static long allocatedBytes() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  /** Damages the payload alone, or anything: damage of the frame is noticed before the payload. */
  private static byte[] mutated(byte[] file, Random random) {
    if (random.nextInt(4) == 0) {
      return damaged(file, random);
    }
    ByteBuffer end = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    int size = end.getInt(file.length - 12);
    byte[] payload = Arrays.copyOfRange(file, file.length - 12 - size, file.length - 12);
    byte[] damaged = damaged(payload, random);
    return file(damaged, damaged.length, end.getInt(file.length - 8));
  }

  private static byte[] damaged(byte[] bytes, Random random) {
    byte[] damaged = bytes;
    for (int i = random.nextInt(3); i >= 0; i--) {
      int place = random.nextInt(damaged.length + 1);
      damaged =
          switch (random.nextInt(5)) {
            case 0 -> replaced(damaged, place, 1, new byte[] {(byte) random.nextInt()});
            case 1 -> replaced(damaged, place, 1, SYNTAX[random.nextInt(SYNTAX.length)]);
            case 2 -> replaced(damaged, place, 0, SYNTAX[random.nextInt(SYNTAX.length)]);
            case 3 -> replaced(damaged, place, random.nextInt(8), new byte[0]);
            default -> replaced(damaged, place, random.nextInt(8), part(damaged, random));
          };
    }
    return damaged;
  }

  private static byte[] part(byte[] bytes, Random random) {
    int start = random.nextInt(bytes.length + 1);
    return Arrays.copyOfRange(bytes, start, Math.min(bytes.length, start + random.nextInt(40)));
  }

  private static byte[] replaced(byte[] bytes, int place, int removed, byte[] added) {
    byte[] tail = Arrays.copyOfRange(bytes, Math.min(place + removed, bytes.length), bytes.length);
    return ByteBuffer.allocate(place + added.length + tail.length)
        .put(bytes, 0, place)
        .put(added)
        .put(tail)
        .array();
  }

  /** Returns whether a file parses, and checks that what parses is the same when written back. */
  private static boolean parses(byte[] file) {
    PuffinFooter footer;
    try {
      footer = parse(file);
    } catch (PuffinFormatException refused) {
      return false;
    }
    assertSameContent(parse(behindBlobs(footer)), footer);
    return true;
  }

  private static byte[] behindBlobs(PuffinFooter footer) {
    ByteBuffer bytes = footer.toBytes();
    ByteBuffer file = ByteBuffer.allocate((int) footer.offset() + bytes.remaining());
    file.put("PFA1".getBytes(StandardCharsets.US_ASCII));
    return file.position((int) footer.offset()).put(bytes).array();
  }
}
