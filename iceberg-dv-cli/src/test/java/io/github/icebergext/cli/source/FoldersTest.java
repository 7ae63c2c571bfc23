package io.github.icebergext.cli.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class FoldersTest {
  @Test
  void foldersWithinOthersAreLeftOut() {
    Folders folders =
        Folders.of(List.of("s3://b/db/t/data", "s3://b/db/t/", "s3a://b/db/t", "s3://b/db/t2"));

    assertThat(folders.locations()).containsExactly("s3://b/db/t", "s3://b/db/t2");
  }

  @Test
  void locationIsContainedByItsFolderHoweverSpelled() {
    Folders folders = Folders.of(List.of("s3://b/db/t"));

    assertThat(folders.contain("s3a://b/db//t/data/x")).isTrue();
    assertThat(folders.contain("s3://b/db/t/")).isTrue();
    assertThat(folders.contain("s3://b/db/t2/x")).isFalse();
    assertThat(folders.contain("s3://b/db")).isFalse();
  }

  @Test
  void wholeBucketContainsAllOfIt() {
    Folders folders = Folders.of(List.of("s3://b/"));

    assertThat(folders.locations()).containsExactly("s3://b");
    assertThat(folders.contain("s3://b/x")).isTrue();
  }

  @Test
  void relativeFolderIsOneOfThisMachine() {
    assertThat(Folders.of(List.of("a/../b/")).locations())
        .containsExactly(Path.of("b").toAbsolutePath().toString());
  }
}
