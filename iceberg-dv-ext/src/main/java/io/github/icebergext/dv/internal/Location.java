package io.github.icebergext.dv.internal;

import java.util.ArrayDeque;
import java.util.Deque;

/** Compares the locations of files by their paths. */
public final class Location {
  private Location() {}

  /**
   * Returns the path of a location. Locations of different paths name different files; locations of
   * the same path may name the same file.
   *
   * <p>The path has no scheme and no authority, one slash where the location has several, and no
   * {@code .} and {@code ..} segments. So {@code file:/x}, {@code file:///x} and {@code /x} have
   * one path, {@code s3://bucket/x} and {@code s3a://bucket/x}, and also {@code hdfs://a/x} and
   * {@code hdfs://b:8020/x}.
   */
  public static String path(String location) {
    String path = location.substring(pathStart(location));
    return path.contains("//") || path.contains("./") || path.endsWith(".")
        ? normalized(path)
        : path;
  }

  private static int pathStart(String location) {
    int start = 0;
    int colon = location.indexOf(':');
    if (colon > 0 && location.indexOf('/') == colon + 1) {
      start = colon + 1;
    }
    if (start > 0 && location.startsWith("//", start)) {
      int path = location.indexOf('/', start + 2);
      return path < 0 ? location.length() : path;
    }
    return start;
  }

  private static String normalized(String path) {
    boolean absolute = path.startsWith("/");
    Deque<String> segments = new ArrayDeque<>();
    for (String segment : path.split("/", -1)) {
      if (segment.equals("..") && !segments.isEmpty() && !segments.getLast().equals("..")) {
        segments.removeLast();
      } else if (segment.equals("..") ? !absolute : !segment.isEmpty() && !segment.equals(".")) {
        segments.addLast(segment);
      }
    }
    String joined = String.join("/", segments);
    // Some object stores have empty objects whose names end in a slash: folders, and no files.
    boolean folder = path.endsWith("/") && !joined.isEmpty();
    return (absolute ? "/" : "") + joined + (folder ? "/" : "");
  }
}
