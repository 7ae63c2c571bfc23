package io.github.icebergext.cli.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.cli.text.CommandException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetadataFolderTest {
  @TempDir Path table;
  private Path metadata;

  @BeforeEach
  void createMetadataFolder() throws IOException {
    metadata = Files.createDirectory(table.resolve("metadata"));
  }

  private void files(String... names) {
    for (String name : names) {
      write(name, "");
    }
  }

  private void hint(String hint) {
    write("version-hint.text", hint);
  }

  private void write(String name, String content) {
    try {
      Files.writeString(metadata.resolve(name), content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String newest() {
    String location = new MetadataFolder(Storage.of(Relocations.NONE)).newest(table.toString());
    return Path.of(location).getFileName().toString();
  }

  @Test
  void highestVersionIsTheNewest() {
    files("v2.metadata.json", "v10.metadata.json", "v9.metadata.json", "snap-11-x.avro");

    assertThat(newest()).isEqualTo("v10.metadata.json");
  }

  @Test
  void namesWithUuidsAndCompressionCount() {
    files("00009-a.metadata.json", "00010-b.gz.metadata.json", "00008-c.metadata.json.gz");

    assertThat(newest()).isEqualTo("00010-b.gz.metadata.json");
  }

  @Test
  void hintLeadsToTheVersionAndThoseAfterIt() {
    files("v1.metadata.json", "v2.metadata.json", "v3.gz.metadata.json", "v5.metadata.json");
    hint("2\n");

    assertThat(newest()).isEqualTo("v3.gz.metadata.json");
  }

  @Test
  void hintMayBeAName() {
    files("00001-a.metadata.json", "00002-b.metadata.json");
    hint("00001-a");

    assertThat(newest()).isEqualTo("00001-a.metadata.json");
  }

  @Test
  void hintThatNamesNothingIsIgnored() {
    files("v1.metadata.json", "v2.metadata.json");
    hint("77");

    assertThat(newest()).isEqualTo("v2.metadata.json");
  }

  @Test
  void laterOfTwoFilesOfAVersionWins() throws IOException {
    files("00001-a.metadata.json", "00001-b.metadata.json");
    Files.setLastModifiedTime(metadata.resolve("00001-b.metadata.json"), FileTime.fromMillis(1));

    assertThat(newest()).isEqualTo("00001-a.metadata.json");
  }

  @Test
  void folderWithoutMetadataIsNoTable() {
    assertThatThrownBy(this::newest)
        .isInstanceOf(CommandException.class)
        .hasMessageStartingWith(table + ": no table here");
  }
}
