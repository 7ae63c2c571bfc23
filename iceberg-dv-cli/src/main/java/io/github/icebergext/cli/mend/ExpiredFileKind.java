package io.github.icebergext.cli.mend;

import io.github.icebergext.cli.text.Numbers;
import java.util.regex.Pattern;

/** What a file is that an expiry deletes, as its name tells. */
enum ExpiredFileKind {
  MANIFEST_LIST("manifestLists", "manifest list", "manifest lists"),
  MANIFEST("manifests", "manifest", "manifests"),
  PUFFIN("puffinFiles", "Puffin file", "Puffin files"),
  OTHER("otherFiles", "other file", "other files");

  private static final Pattern MANIFEST_LIST_NAME = Pattern.compile("snap-.*\\.avro");
  private static final Pattern MANIFEST_NAME = Pattern.compile(".*-m\\d+\\.avro");
  private static final String PUFFIN_SUFFIX = ".puffin";

  private final String key;
  private final String one;
  private final String many;

  ExpiredFileKind(String key, String one, String many) {
    this.key = key;
    this.one = one;
    this.many = many;
  }

  static ExpiredFileKind of(String location) {
    String name = location.substring(location.lastIndexOf('/') + 1);
    if (MANIFEST_LIST_NAME.matcher(name).matches()) {
      return MANIFEST_LIST;
    }
    if (MANIFEST_NAME.matcher(name).matches()) {
      return MANIFEST;
    }
    return name.endsWith(PUFFIN_SUFFIX) ? PUFFIN : OTHER;
  }

  /** Returns the name of the count in JSON. */
  String key() {
    return key;
  }

  /** Returns for example {@code 3 manifest lists}. */
  String text(long count) {
    return Numbers.count(count, one, many);
  }
}
