package io.github.icebergext.dv.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LocationMapTest {
  // iceberg#4346: one spelling in the metadata and another in the listing made all files orphans.
  @ParameterizedTest
  @CsvSource({
    "file:/a/b.parquet,file:///a/b.parquet",
    "file:/a/b.parquet,/a/b.parquet",
    "file://localhost/a/b.parquet,/a/b.parquet",
    "s3://bucket/a/b.parquet,s3a://bucket/a/b.parquet",
    "s3n://bucket/a/b.parquet,s3://bucket/a/b.parquet",
    "hdfs://nn/a/b.parquet,hdfs://nn:8020/a/b.parquet",
    "hdfs:/a/b.parquet,hdfs://nn/a/b.parquet",
    "s3://bucket//a///b.parquet,s3://bucket/a/b.parquet",
    "abfss://c@x.dfs.core.windows.net/a/b,wasbs://c@x.blob.core.windows.net/a/b",
    "s3://bucket/a/./b.parquet,s3://bucket/a/b.parquet",
    "file:/warehouse/x/../a/b.parquet,/warehouse/a/b.parquet",
  })
  void spellingsOfOneLocationAreOne(String first, String second) {
    LocationMap locations = new LocationMap();

    locations.add(first);

    assertThat(locations.contains(second)).isTrue();
    locations.add(second);
    assertThat(locations.size()).isOne();
  }

  @ParameterizedTest
  @CsvSource({
    "s3://bucket/a/b,s3://bucket/a/c",
    "s3://bucket/a/b,s3://bucket/a/B",
    "s3://bucket/a/b,s3://bucket/a/b/",
    "s3://bucket/a/b,s3://bucket/a",
    "/a/p=x:y/b,/a/p=x:z/b",
    "/a/p=x%2Fy/b,/a/p=x/y/b",
    "a/b,/a/b",
  })
  void otherPathsAreOthers(String first, String second) {
    LocationMap locations = new LocationMap();

    locations.add(first);

    assertThat(locations.contains(second)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "s3://bucket/a/b,/a/b",
    "s3://bucket,''",
    "s3://bucket/,/",
    "file:/a:b/c,/a:b/c",
    "/a:b//c,/a:b/c",
    "rows.parquet,rows.parquet",
    "'',''",
    "/a/b/.,/a/b",
    "/a/b/..,/a",
    "/../../a,/a",
    "../a/./b/../c,../a/c",
    "/.,/",
    "/a/.hidden/b..c/...,/a/.hidden/b..c/...",
    "s3://bucket/a/../b/,/b/",
  })
  void pathIsWhatFollowsSchemeAndAuthority(String location, String path) {
    assertThat(Location.path(location)).isEqualTo(path);
  }

  @Test
  void theLeastNumberOfALocationStays() {
    LocationMap locations = new LocationMap();
    locations.putLeast("s3://bucket/a", 2);
    locations.putLeast("/a", 1);
    locations.putLeast("s3a://bucket/a", 3);

    assertThat(locations.get("/a")).isEqualTo(1);
    assertThat(locations.get("/b")).isEqualTo(LocationMap.ABSENT);
  }

  @Test
  void manyLocationsAreAllFoundAndNoOthers() {
    LocationMap locations = new LocationMap();
    for (int i = 0; i < 100_000; i++) {
      locations.putLeast("s3://bucket/db/t/data/" + i + ".parquet", i);
    }

    assertThat(locations.size()).isEqualTo(100_000);
    for (int i = 0; i < 100_000; i++) {
      assertThat(locations.get("/db/t/data/" + i + ".parquet")).isEqualTo(i);
      assertThat(locations.contains("/db/t/data/" + i + ".orc")).isFalse();
    }
  }
}
