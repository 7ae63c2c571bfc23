package io.github.icebergext.cli.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON objects, one a line. */
public final class Json {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().disable(StreamWriteFeature.AUTO_CLOSE_TARGET).build();

  private Json() {}

  /** Returns an object without members. */
  public static Members object() {
    return new Members();
  }

  /** A value that writes itself, for what is too large to be held. */
  @FunctionalInterface
  public interface Streamed {
    void writeTo(JsonGenerator generator) throws IOException;
  }

  /** The members of an object, in the order in which they were added. */
  public static final class Members {
    private final Map<String, Object> values = new LinkedHashMap<>();

    /** Adds a member; none if {@code value} is null. */
    public Members put(String key, @Nullable Object value) {
      if (value != null) {
        values.put(key, value);
      }
      return this;
    }

    /** Adds all members of {@code other}. */
    public Members putAll(Members other) {
      values.putAll(other.values);
      return this;
    }
  }

  /** Writes the object and a line feed. */
  public static void writeLine(Writer out, Members object) {
    try (JsonGenerator generator = FACTORY.createGenerator(out)) {
      write(generator, object);
      generator.writeRaw('\n');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(JsonGenerator generator, Object value) throws IOException {
    if (value instanceof Members members) {
      writeMembers(generator, members.values);
    } else if (value instanceof Map<?, ?> map) {
      writeMembers(generator, map);
    } else if (value instanceof Iterable<?> elements) {
      generator.writeStartArray();
      for (Object element : elements) {
        write(generator, element);
      }
      generator.writeEndArray();
    } else if (value instanceof Streamed streamed) {
      streamed.writeTo(generator);
    } else if (value instanceof Double number) {
      generator.writeNumber(new BigDecimal(number.toString()).toPlainString());
    } else if (value instanceof Number number) {
      generator.writeNumber(number.longValue());
    } else if (value instanceof Boolean flag) {
      generator.writeBoolean(flag);
    } else {
      generator.writeString(value.toString());
    }
  }

  private static void writeMembers(JsonGenerator generator, Map<?, ?> members) throws IOException {
    generator.writeStartObject();
    for (Map.Entry<?, ?> member : members.entrySet()) {
      generator.writeFieldName(member.getKey().toString());
      write(generator, member.getValue());
    }
    generator.writeEndObject();
  }
}
