package io.github.icebergext.cli.source;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LocationsTest {
  @Test
  void locationsWithinAFolderAreShortened() {
    assertThat(Locations.relative("file:/w/t/data/a", "file:///w/t")).isEqualTo("data/a");
    assertThat(Locations.relative("s3://b/u/a", "s3://b/t")).isEqualTo("s3://b/u/a");
    assertThat(Locations.relative("s3://b/t", "s3://b/t")).isEqualTo("s3://b/t");
  }
}
