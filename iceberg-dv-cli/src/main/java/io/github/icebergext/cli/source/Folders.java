package io.github.icebergext.cli.source;

import io.github.icebergext.dv.internal.Location;
import java.io.File;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Folders of which none is within another.
 *
 * @param locations without a slash at the end
 */
public record Folders(List<String> locations) {
  /** Returns the folders without those within others. */
  public static Folders of(List<String> locations) {
    List<String> outermost = new ArrayList<>();
    locations.stream()
        .map(Folders::absolute)
        .sorted(Comparator.comparingInt(String::length))
        .forEach(
            location -> {
              if (!new Folders(outermost).contain(location)) {
                outermost.add(location);
              }
            });
    return new Folders(List.copyOf(outermost));
  }

  /** Tells whether a location is one of the folders or within one, as paths are compared. */
  public boolean contain(String location) {
    String path = Location.path(location) + "/";
    return locations.stream().anyMatch(folder -> path.startsWith(Location.path(folder) + "/"));
  }

  private static String absolute(String location) {
    String absolute = location;
    if (Storage.isLocal(location) && !Locations.plain(location).startsWith("/")) {
      absolute = new File(location).toPath().toAbsolutePath().normalize().toString();
    }
    return Locations.folder(absolute);
  }
}
