package io.github.icebergext.cli.source;

/** How locations are spelled. To compare files by path is the library's. */
public final class Locations {
  private Locations() {}

  /**
   * Returns the location, or its path if it is local, so that {@code file:/x}, {@code file:///x}
   * and {@code /x} are one. Locations are not percent-encoded in Iceberg, so nothing is decoded.
   */
  public static String plain(String location) {
    if (!location.startsWith("file:")) {
      return location;
    }
    String path = location.substring("file:".length());
    if (path.startsWith("//localhost/")) {
      return path.substring("//localhost".length());
    }
    return path.startsWith("//") ? path.substring("//".length()) : path;
  }

  /** Returns the location as seen from {@code folder} if it is within, else as it is. */
  public static String relative(String location, String folder) {
    String plain = plain(location);
    String from = plainFolder(folder);
    return isWithin(plain, from) && plain.length() > from.length()
        ? plain.substring(from.length() + 1)
        : location;
  }

  /** Returns whether a location is a folder, without a slash at its end, or within it. */
  static boolean isWithin(String location, String folder) {
    return location.startsWith(folder)
        && (location.length() == folder.length() || location.charAt(folder.length()) == '/');
  }

  /** Returns the location of a folder as {@link #plain} and {@link #folder} have it. */
  static String plainFolder(String location) {
    return folder(plain(location));
  }

  /** Returns the location without the slashes at its end, so that names can follow after one. */
  static String folder(String location) {
    int end = location.length();
    while (end > 0 && location.charAt(end - 1) == '/') {
      end--;
    }
    return location.substring(0, end);
  }
}
