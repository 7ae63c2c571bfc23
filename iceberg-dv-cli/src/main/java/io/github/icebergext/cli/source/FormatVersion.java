package io.github.icebergext.cli.source;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.github.icebergext.cli.text.CommandException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.zip.GZIPInputStream;
import org.apache.iceberg.TableMetadataParser.Codec;
import org.apache.iceberg.io.InputFile;

/**
 * The format version of a table, read before Iceberg parses metadata that may be too new for it.
 */
final class FormatVersion {
  private static final int NEWEST = 3;
  private static final String KEY = "format-version";
  private static final JsonFactory FACTORY = new JsonFactory();

  private FormatVersion() {}

  /**
   * Checks the version that a metadata file states.
   *
   * @throws CommandException if the file is no table metadata, or of a version not supported
   */
  static void check(String name, InputFile metadata) {
    try (InputStream in = open(metadata);
        JsonParser parser = FACTORY.createParser(in)) {
      check(name, read(parser, name));
    } catch (JsonProcessingException e) {
      throw new CommandException(name + ": no table metadata: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Checks a version.
   *
   * @throws CommandException if it is not supported
   */
  static void check(String name, int version) {
    if (version > NEWEST) {
      throw new CommandException(
          name
              + ": table format version "
              + version
              + " is not supported (newest supported: "
              + NEWEST
              + ")");
    }
  }

  private static int read(JsonParser parser, String name) throws IOException {
    if (parser.nextToken() == JsonToken.START_OBJECT) {
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        boolean found = parser.currentName().equals(KEY);
        if (parser.nextToken() == JsonToken.VALUE_NUMBER_INT && found) {
          return parser.getIntValue();
        }
        parser.skipChildren();
      }
    }
    throw new CommandException(name + ": no table metadata: no number " + KEY);
  }

  private static InputStream open(InputFile metadata) throws IOException {
    InputStream in = metadata.newStream();
    return Codec.fromFileName(metadata.location()) == Codec.GZIP ? new GZIPInputStream(in) : in;
  }
}
