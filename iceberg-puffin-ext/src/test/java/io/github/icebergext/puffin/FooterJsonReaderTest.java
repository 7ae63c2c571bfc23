package io.github.icebergext.puffin;

import static io.github.icebergext.puffin.FooterBytes.parse;
import static io.github.icebergext.puffin.FooterBytes.parseFooterAlone;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.iceberg.puffin.BlobMetadata;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class FooterJsonReaderTest {
  /** The required keys of a blob with values that fit them. */
  private static final String BLOB =
      "'type':'t','fields':[1],'snapshot-id':2,'sequence-number':3,'offset':4,'length':96";

  private static final PuffinLimits DEFAULTS = PuffinLimits.defaults();

  @Test
  void readsEveryKeyOfABlob() {
    PuffinFooter footer =
        read(
            blobs(
                "'type':'t','fields':[1,-2147483648,2147483647],'snapshot-id':9223372036854775807,"
                    + "'sequence-number':-9223372036854775808,'offset':5,'length':6,"
                    + "'compression-codec':'zstd','properties':{'b':'1','a':''}"));

    BlobMetadata blob = footer.blobs().get(0);
    assertThat(footer.blobs()).hasSize(1);
    assertThat(blob.type()).isEqualTo("t");
    assertThat(blob.inputFields()).containsExactly(1, Integer.MIN_VALUE, Integer.MAX_VALUE);
    assertThat(blob.snapshotId()).isEqualTo(Long.MAX_VALUE);
    assertThat(blob.sequenceNumber()).isEqualTo(Long.MIN_VALUE);
    assertThat(blob.offset()).isEqualTo(5);
    assertThat(blob.length()).isEqualTo(6);
    assertThat(blob.compressionCodec()).isEqualTo("zstd");
    assertThat(blob.properties()).containsExactly(Map.entry("b", "1"), Map.entry("a", ""));
  }

  @Test
  void readsFileProperties() {
    PuffinFooter footer = read("{'properties':{'created-by':'x','a':'b'},'blobs':[]}");

    assertThat(footer.properties())
        .containsExactly(Map.entry("created-by", "x"), Map.entry("a", "b"));
    assertThat(footer.createdBy()).contains("x");
  }

  @Test
  void readsKeysInAnyOrderAndBlobsThatDiffer() {
    String reversed =
        "'properties':{},'length':1,'offset':4,'sequence-number':0,'snapshot-id':0,'fields':[],"
            + "'type':'reversed'";
    PuffinFooter footer =
        read(blobs(BLOB, reversed, BLOB + ",'compression-codec':'lz4'", reversed, BLOB));

    assertThat(footer.blobs())
        .extracting(BlobMetadata::type)
        .containsExactly("t", "reversed", "t", "reversed", "t");
    assertThat(footer.blobs())
        .extracting(BlobMetadata::compressionCodec)
        .containsExactly(null, null, "lz4", null, null);
    assertThat(footer.blobs())
        .extracting(BlobMetadata::length)
        .containsExactly(96L, 1L, 96L, 1L, 96L);
  }

  @Test
  void readsEscapedKeys() {
    assertThat(read(blobs(BLOB.replace("type", "t\\u0079pe"))).blobs().get(0).type())
        .isEqualTo("t");
  }

  /** A null is what some writers make of an absent value; Iceberg reads it as an absent codec. */
  @Test
  void takesNullForAnAbsentOptionalKey() {
    PuffinFooter footer =
        read(
            "{'blobs':[{"
                + BLOB
                + ",'compression-codec':null,'properties':null}],'properties':null}");

    assertThat(footer.properties()).isEmpty();
    assertThat(footer.blobs().get(0).properties()).isEmpty();
    assertThat(footer.blobs().get(0).compressionCodec()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1",
        "-0.5e300",
        "true",
        "null",
        "''",
        "{}",
        "[]",
        "{'type':1,'type':[{}]}",
        "[[[{'a':[]}]]]"
      })
  void ignoresUnknownKeysWithAllThatIsInThem(String value) {
    PuffinFooter footer =
        read("{'x':" + value + ",'blobs':[{'x':" + value + "," + BLOB + "}],'y':" + value + "}");

    assertThat(footer.blobs().get(0).length()).isEqualTo(96);
  }

  // duckdb-iceberg#370, moonlink#799: a type or codec that a reader does not know is not its
  // concern
  @Test
  void readsUnknownTypesAndCodecs() {
    PuffinFooter footer =
        read(
            blobs(
                BLOB.replace("'t'", "'custom-index-v9'") + ",'compression-codec':'brotli'", BLOB));

    assertThat(footer.blobs().get(0).type()).isEqualTo("custom-index-v9");
    assertThat(footer.blobs().get(0).compressionCodec()).isEqualTo("brotli");
  }

  @Test
  void readsWhitespaceAroundAndInsideTheObject() {
    assertThat(read(" \t\r\n{ 'blobs' :\n[ ] }\r\n\t ").blobs()).isEmpty();
  }

  @Test
  void readsCharactersOfEveryLength() {
    String text = "\u007f\u0080\u07ff\u0800\ud7ff\ue000\uffff\ud800\udc00\udbff\udfff";

    assertThat(read("{'blobs':[],'properties':{'" + text + "':'" + text + "'}}").properties())
        .containsExactly(Map.entry(text, text));
  }

  @ParameterizedTest
  @CsvSource({"4,0", "4,96", "100,0", "99,1", "50,50"})
  void takesRangesBetweenTheMagicAndTheFooter(long offset, long length) {
    assertThat(read(blobs(range(offset, length))).blobs()).hasSize(1);
  }

  @Test
  void takesOverlappingAndUnorderedRanges() {
    assertThat(read(blobs(range(50, 20), range(4, 96), range(60, 1), range(50, 20))).blobs())
        .extracting(BlobMetadata::offset)
        .containsExactly(50L, 4L, 60L, 50L);
  }

  // doris#65676, and Iceberg's own reader: an OutOfMemoryError or a NegativeArraySizeException
  @ParameterizedTest
  @CsvSource({
    "3,1",
    "0,10",
    "-1,5",
    "-4,8",
    "-9223372036854775808,0",
    "4,97",
    "101,0",
    "100,1",
    "4,-1",
    "4,-3",
    "4,1500000000",
    "4,2147483648",
    "4,9223372036854775807",
    "9223372036854775807,9223372036854775807",
    "9223372036854775807,1",
    "9223372036854775807,-9223372036854775808"
  })
  void refusesRangesOutsideOfTheBlobs(long offset, long length) {
    assertRefused(
        blobs(BLOB, range(offset, length)),
        Reason.BLOB_RANGE,
        "blob 1: range is not between the file's magic and its footer (actual offset "
            + offset
            + " and length "
            + length
            + ", expected within [4, 100))");
  }

  @ParameterizedTest
  @ValueSource(strings = {"type", "fields", "snapshot-id", "sequence-number", "offset", "length"})
  void refusesABlobWithoutARequiredKey(String key) {
    assertRefused(
        blobs(BLOB, BLOB, BLOB, BLOB.replace("'" + key + "'", "'x'")),
        "blob 3: key \"" + key + "\" is missing");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'type':'t'",
        "'fields':[1]",
        "'snapshot-id':2",
        "'sequence-number':3",
        "'offset':4",
        "'length':96",
        "'compression-codec':'zstd'",
        "'properties':{}",
        "'x':1"
      })
  void refusesARepeatedKeyOfABlob(String entry) {
    String key = entry.substring(1, entry.indexOf('\'', 1));
    String others = BLOB + ",'compression-codec':'zstd','properties':{},'x':{}";

    assertRefused(blobs(others + "," + entry), "blob 0: key \"" + key + "\" is repeated");
    assertRefused(blobs(BLOB, entry + "," + others), "blob 1: key \"" + key + "\" is repeated");
  }

  @Test
  void refusesAKeyRepeatedInAnotherSpelling() {
    assertRefused(blobs(BLOB + ",'\\u0074ype':'u'"), "blob 0: key \"type\" is repeated");
  }

  // velox#18471 among others: a list of objects for fields
  static Stream<Arguments> mistyped() {
    return Stream.of(
        arguments("'type':'t'", "'type':1", "key \"type\" is an integer, expected a string"),
        arguments("'type':'t'", "'type':null", "key \"type\" is null, expected a string"),
        arguments("[1]", "[{'id':1}]", "key \"fields\" holds an object, expected integers"),
        arguments("[1]", "[1,'2']", "key \"fields\" holds a string, expected integers"),
        arguments("[1]", "[1.0]", "key \"fields\" holds a number with a fraction or an exponent"),
        arguments("[1]", "[null]", "key \"fields\" holds null, expected integers"),
        arguments("[1]", "[[1]]", "key \"fields\" holds a list, expected integers"),
        arguments("[1]", "[2147483648]", "key \"fields\" holds an integer of more than 32 bits"),
        arguments("[1]", "[-2147483649]", "key \"fields\" holds an integer of more than 32 bits"),
        arguments("[1]", "1", "key \"fields\" is an integer, expected a list"),
        arguments("[1]", "null", "key \"fields\" is null, expected a list"),
        arguments("'snapshot-id':2", "'snapshot-id':'2'", "key \"snapshot-id\" is a string"),
        arguments("'snapshot-id':2", "'snapshot-id':null", "key \"snapshot-id\" is null"),
        arguments(
            "'snapshot-id':2",
            "'snapshot-id':9223372036854775808",
            "key \"snapshot-id\" is an integer of more than 64 bits"),
        arguments(
            "'sequence-number':3",
            "'sequence-number':-9223372036854775809",
            "key \"sequence-number\" is an integer of more than 64 bits"),
        arguments(
            "'sequence-number':3",
            "'sequence-number':true",
            "key \"sequence-number\" is a truth value"),
        arguments(
            "'offset':4",
            "'offset':4.0",
            "key \"offset\" is a number with a fraction or an exponent"),
        arguments(
            "'offset':4",
            "'offset':4e0",
            "key \"offset\" is a number with a fraction or an exponent"),
        arguments("'length':96", "'length':[96]", "key \"length\" is a list, expected an integer"),
        arguments("'length':96", "'length':{}", "key \"length\" is an object"),
        arguments(
            "'length':96",
            "'length':96,'compression-codec':7",
            "key \"compression-codec\" is an integer, expected a string"),
        arguments(
            "'length':96",
            "'length':96,'properties':[]",
            "key \"properties\" is a list, expected an object"),
        arguments(
            "'length':96",
            "'length':96,'properties':{'ndv':1}",
            "key \"ndv\" is an integer, expected a string"),
        arguments(
            "'length':96",
            "'length':96,'properties':{'ndv':null}",
            "key \"ndv\" is null, expected a string"),
        arguments(
            "'length':96",
            "'length':96,'properties':{'ndv':'1','a':'','ndv':'1'}",
            "key \"ndv\" is repeated"));
  }

  @ParameterizedTest
  @MethodSource("mistyped")
  void refusesABlobWithAMistypedValue(String entry, String mistyped, String problem) {
    assertRefused(blobs(BLOB, BLOB.replace(entry, mistyped)), "blob 1: " + problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[]|payload is a list, expected an object",
        "1|payload is an integer, expected an object",
        "'blobs'|payload is a string, expected an object",
        "``|payload is absent, expected an object",
        "` `|payload is absent, expected an object",
        "{}|key \"blobs\" is missing",
        "{'properties':{}}|key \"blobs\" is missing",
        "{'blobs':null}|key \"blobs\" is null, expected a list",
        "{'blobs':{}}|key \"blobs\" is an object, expected a list",
        "{'blobs':[1]}|blob 0: is an integer, expected an object",
        "{'blobs':[[]]}|blob 0: is a list, expected an object",
        "{'blobs':[null]}|blob 0: is null, expected an object",
        "{'blobs':[{}]}|blob 0: key \"type\" is missing",
        "{'blobs':[],'blobs':[]}|key \"blobs\" is repeated",
        "{'blobs':[],'properties':{},'properties':{}}|key \"properties\" is repeated",
        "{'blobs':[],'properties':null,'properties':{}}|key \"properties\" is repeated",
        "{'blobs':[],'x':1,'x':1}|key \"x\" is repeated",
        "{'blobs':[],'properties':{'a':'b','a':'b'}}|key \"a\" is repeated",
        "{'blobs':[],'properties':{'a':1}}|key \"a\" is an integer, expected a string",
        "{'blobs':[],'properties':'a'}|key \"properties\" is a string, expected an object",
        "{'blobs':[]}{}|content after the object of the payload",
        "{'blobs':[]} 1|content after the object of the payload"
      })
  void refusesAPayloadThatIsNoFileMetadata(String json, String problem) {
    assertRefused(json, problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'blobs':[]}x|Unrecognized token 'x'",
        "{'blobs':[]},|Unexpected character (','",
        "{'blobs':[],}|Unexpected character ('}'",
        "{'blobs':[,]}|Unexpected character (','",
        "{'blobs':[{]}|Unexpected close marker ']': expected '}'",
        "{blobs:[]}|Unexpected character ('b'",
        "{'blobs':[]/**/}|Unexpected character ('/'",
        "{'blobs':[],'x':NaN}|Non-standard token 'NaN'",
        "{'blobs':[],'x':01}|Invalid numeric value: Leading zeroes not allowed",
        "{'blobs':[],'x':+1}|Unexpected character ('+'",
        "{'blobs':[],'x':'\\q'}|Unrecognized character escape 'q'",
        "{'blobs':[],'x':'\\u00g0'}|Unexpected character ('g'",
        "{'blobs'|Unexpected end-of-input",
        "{'blobs':[|Unexpected end-of-input: expected close marker for Array",
        "{'blobs':[{'type':'|Unexpected end-of-input"
      })
  void refusesMalformedJson(String json, String problem) {
    assertThatThrownBy(() -> read(json))
        .hasMessageMatching(
            "Cannot read footer of s3://b/f.puffin: (blob 0: )?malformed JSON at payload byte \\d+: "
                + Pattern.quote(problem)
                + ".*")
        .hasMessageNotContaining("REDACTED")
        .hasCauseInstanceOf(JsonProcessingException.class)
        .extracting(e -> ((PuffinFormatException) e).reason())
        .isEqualTo(Reason.FOOTER_PAYLOAD);
  }

  /** Jackson's versions differ by one. */
  @Test
  void saysWhereJsonIsMalformed() {
    assertThatThrownBy(() -> read("{'blobs':[],'x':'" + "a".repeat(1000) + "',}"))
        .hasMessageContaining("malformed JSON at payload byte 101");
  }

  @Test
  void refusesControlCharactersInStrings() {
    for (char c = 0; c < ' '; c++) {
      assertRefused(
          "{'blobs':[],'properties':{'a':'" + c + "'}}", "malformed JSON at payload byte 3");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "80",
        "c3",
        "c328",
        "c080",
        "c1bf",
        "e0809f",
        "e28228",
        "eda080",
        "edbfbf",
        "f08080af",
        "f0288cbc",
        "f4908080",
        "f8888080af",
        "fe",
        "ff"
      })
  void refusesWhatIsNotUtf8(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    byte[] inProperty = around("{'blobs':[],'properties':{'a':'", bytes, "'}}");
    byte[] inUnknownKey = around("{'blobs':[],'", bytes, "':1}");

    assertRefused(inProperty, "payload is not Unicode text in UTF-8 at payload byte 31");
    assertRefused(inUnknownKey, "payload is not Unicode text in UTF-8 at payload byte 13");
  }

  @Test
  void refusesMalformedUtf8FarIntoThePayload() {
    String before = "{'blobs':[],'properties':{'a':'" + "\u20ac".repeat(5000);

    assertRefused(
        around(before, new byte[] {(byte) 0xff}, "'}}"),
        "payload is not Unicode text in UTF-8 at payload byte " + (31 + 15_000));
  }

  /** Jackson lets them through or not, by version and by place. */
  @Test
  void refusesHalfOfASurrogatePair() {
    List<String> halves =
        List.of(
            "\\ud800",
            "\\uDFFF",
            "\\udbff\\ud800",
            "\\ud800\\n",
            "\\ud83ex",
            "\\ud800\ud800\udc00");
    for (String half : halves) {
      String problem = "payload is not Unicode text in UTF-8 at payload byte ";

      assertRefused("{'blobs':[],'properties':{'a':'" + half + "'}}", problem + 31);
      assertRefused("{'blobs':[],'" + half + "':1}", problem + 13);
    }
  }

  @Test
  void readsEscapedSurrogatePairsAndWhatLooksLikeHalfOfOne() {
    assertThat(property("a", "\\ud83e\\uDD2F")).isEqualTo("\ud83e\udd2f");
    assertThat(property("a", "\\\\ud800")).isEqualTo("\\ud800");
    assertThat(property("a", "\\u0041\\\\\\ud83e\\udd2f")).isEqualTo("A\\\ud83e\udd2f");
  }

  @Test
  void refusesHalfOfASurrogatePairAtTheEnd() {
    assertRefused("{'x':'\\ud800", "payload is not Unicode text in UTF-8 at payload byte 6");
    assertRefused("{'x':'\\ud80", "malformed JSON at payload byte ");
    assertRefused("{'x':'\\", "malformed JSON at payload byte ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTF-16BE", "UTF-16LE", "UTF-16", "UTF-32BE", "UTF-32LE"})
  void refusesOtherEncodings(String charset) {
    byte[] payload = json("{'blobs':[]}").getBytes(Charset.forName(charset));

    assertThatThrownBy(() -> parse(FooterBytes.file(payload)))
        .isExactlyInstanceOf(PuffinFormatException.class)
        .hasMessageMatching(".*: (malformed JSON|payload is not Unicode text in UTF-8) at .*");
  }

  @Test
  void refusesAByteOrderMark() {
    assertRefused("\ufeff{'blobs':[]}", "malformed JSON at payload byte ");
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 10, 64, 200})
  void limitsDepth(int depth) {
    PuffinLimits limits = PuffinLimits.builder().maxJsonDepth(depth).build();
    String deepest = "[".repeat(depth - 1) + "]".repeat(depth - 1);

    assertThat(read("{'blobs':[],'x':" + deepest + "}", limits).blobs()).isEmpty();
    assertRefused(
        "{'blobs':[],'x':[" + deepest + "]}",
        limits,
        Reason.LIMIT,
        "Document nesting depth (" + (depth + 1) + ") exceeds the maximum allowed (" + depth);
  }

  @Test
  void limitsDepthBeforeAnythingOverflows() {
    assertRefused(
        "{'x':" + "[".repeat(1_000_000), DEFAULTS, Reason.LIMIT, "Document nesting depth (65)");
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 5000, 100_000})
  void limitsTheLengthOfStrings(int length) {
    PuffinLimits limits = PuffinLimits.builder().maxJsonStringLength(length).build();
    String longest = "a".repeat(length);

    assertThat(read("{'blobs':[],'properties':{'a':'" + longest + "'}}", limits).properties())
        .containsEntry("a", longest);
    assertRefused(
        "{'blobs':[],'properties':{'a':'" + longest + "a'}}",
        limits,
        Reason.LIMIT,
        "String value length (" + (length + 1) + ") exceeds the maximum allowed (" + length);
  }

  @Test
  void limitsTheLengthOfKeys() {
    PuffinLimits limits = PuffinLimits.builder().maxJsonStringLength(1000).build();

    assertThat(read(property("k".repeat(1000)), limits).properties()).hasSize(1);
    assertRefused(property("k".repeat(2000)), limits, Reason.LIMIT, "Name length (");
  }

  /** Keys of such a length are kept out of what outlives the call, but are as legal as others. */
  @Test
  void readsLongKeys() {
    for (int length : new int[] {255, 256, 257, 300, 70_000, 1 << 20}) {
      String key = "k".repeat(length);

      assertThat(read(property(key)).properties()).containsExactly(Map.entry(key, ""));
    }
  }

  @Test
  void limitsTheLengthOfNumbers() {
    assertRefused(
        blobs(BLOB.replace("[1]", "[" + "9".repeat(1001) + "]")),
        Reason.LIMIT,
        "blob 0: Number value length (1001) exceeds the maximum allowed (1000");
  }

  @Test
  void limitsWhatCostsMoreMemoryThanBytes() {
    String fields = "1" + ",1".repeat((1 << 20) - 2);
    String json = "{'blobs':[{" + BLOB.replace("[1]", "[" + fields + "]") + "}],'x':1";

    assertThat(read(json + "}").blobs().get(0).inputFields()).hasSize((1 << 20) - 1);
    assertRefused(
        json + ",'y':1}",
        Reason.LIMIT,
        "more than 1048576 fields, properties and unknown keys in all");
  }

  @Test
  void cutsKeysShortInMessages() {
    String key = "k".repeat(5000);

    assertThatThrownBy(() -> read("{'blobs':[],'properties':{'" + key + "':1}}"))
        .hasMessage(
            "Cannot read footer of s3://b/f.puffin: key \""
                + "k".repeat(64)
                + "...\" is an integer, expected a string");
  }

  @Test
  void escapesKeysInMessages() {
    assertRefused(
        "{'blobs':[],'properties':{'a\\nb':1}}", "key \"a\\nb\" is an integer, expected a string");
  }

  @Test
  void formatsUserDataAsItIs() {
    assertThatThrownBy(
            () ->
                FooterJsonReader.read(
                    "s3://b/%s%20.puffin",
                    StandardCharsets.UTF_8.encode(json("{'%n':1,'%n':2}")), 100, DEFAULTS))
        .hasMessage("Cannot read footer of s3://b/%s%20.puffin: key \"%n\" is repeated");
  }

  @Test
  void returnsListsAndMapsThatCannotChange() {
    PuffinFooter footer = read("{'blobs':[{" + BLOB + "}],'properties':{'a':'b'}}");

    assertThatThrownBy(() -> footer.blobs().clear())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> footer.properties().clear())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> footer.blobs().get(0).inputFields().clear())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  private static String property(String key) {
    return "{'blobs':[],'properties':{'" + key + "':''}}";
  }

  private static String property(String key, String value) {
    String json = "{'blobs':[],'properties':{'" + key + "':'" + value + "'}}";
    return requireNonNull(read(json).properties().get(key));
  }

  private static String range(long offset, long length) {
    return BLOB.replace("'offset':4,'length':96", "'offset':" + offset + ",'length':" + length);
  }

  private static String blobs(String... blobs) {
    return "{'blobs':[{" + String.join("},{", List.of(blobs)) + "}]}";
  }

  private static String json(String singleQuoted) {
    return singleQuoted.replace('\'', '"');
  }

  private static byte[] around(String before, byte[] bytes, String after) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(json(before).getBytes(StandardCharsets.UTF_8));
    out.writeBytes(bytes);
    out.writeBytes(json(after).getBytes(StandardCharsets.UTF_8));
    return out.toByteArray();
  }

  private static PuffinFooter read(String json) {
    return read(json, DEFAULTS);
  }

  private static PuffinFooter read(String json, PuffinLimits limits) {
    return parse(FooterBytes.file(json(json)), limits);
  }

  private static void assertRefused(String json, String problem) {
    assertRefused(json, Reason.FOOTER_PAYLOAD, problem);
  }

  private static void assertRefused(byte[] payload, String problem) {
    assertRefused(FooterBytes.file(payload), DEFAULTS, Reason.FOOTER_PAYLOAD, problem);
  }

  private static void assertRefused(String json, Reason reason, String problem) {
    assertRefused(json, DEFAULTS, reason, problem);
  }

  private static void assertRefused(
      String json, PuffinLimits limits, Reason reason, String problem) {
    assertRefused(FooterBytes.file(json(json)), limits, reason, problem);
  }

  /** Whatever number of reads brought the bytes, the same is refused for the same reason. */
  private static void assertRefused(
      byte[] file, PuffinLimits limits, Reason reason, String problem) {
    assertRefused(() -> parse(file, limits), reason, problem);
    assertRefused(() -> parseFooterAlone(file, limits), reason, problem);
  }

  private static void assertRefused(ThrowingCallable reading, Reason reason, String problem) {
    assertThatThrownBy(reading)
        .isExactlyInstanceOf(PuffinFormatException.class)
        .hasMessageStartingWith("Cannot read footer of s3://b/f.puffin: " + problem)
        .extracting(e -> ((PuffinFormatException) e).reason())
        .isEqualTo(reason);
  }
}
