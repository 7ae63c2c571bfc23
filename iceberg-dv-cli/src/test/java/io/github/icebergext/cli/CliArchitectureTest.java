package io.github.icebergext.cli;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Holds the command line to the picture of its packages in ARCHITECTURE.md. */
class CliArchitectureTest {
  private static final String ROOT = "io.github.icebergext.cli";

  /** Begins the block of ARCHITECTURE.md that is read here. */
  private static final String BLOCK = "```packages-of-icedv";

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(ROOT);

  /** Returns for each package the packages that it may import, by the names in the picture. */
  private static Map<String, Set<String>> drawn() throws IOException {
    Path file = Path.of(System.getProperty("basedir", "."), "..", "ARCHITECTURE.md");
    List<String> lines = Files.readAllLines(file);
    Map<String, Set<String>> drawn = new TreeMap<>();
    for (String line : lines.subList(lines.indexOf(BLOCK) + 1, lines.size())) {
      if (line.equals("```")) {
        break;
      }
      String[] names = line.substring(0, line.indexOf('│')).strip().split("[ →]+", -1);
      drawn.put(names[0], new TreeSet<>(Arrays.asList(names).subList(1, names.length)));
    }
    return drawn;
  }

  /** Returns the name that a package has in the picture. */
  private static String room(JavaClass type) {
    String name = type.getPackageName();
    return name.substring(name.lastIndexOf('.') + 1);
  }

  private static Map<String, Set<String>> imported() {
    Map<String, Set<String>> imported = new TreeMap<>();
    for (JavaClass type : CLASSES) {
      Set<String> others = imported.computeIfAbsent(room(type), room -> new TreeSet<>());
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        if (target.getPackageName().startsWith(ROOT) && !room(target).equals(room(type))) {
          others.add(room(target));
        }
      }
    }
    return imported;
  }

  @Test
  void packagesImportWhatThePictureDrawsAndNothingElse() throws IOException {
    assertThat(drawn()).isNotEmpty();
    assertThat(imported()).isEqualTo(drawn());
  }

  @Test
  void noPackagesImportEachOther() {
    slices().matching("io.github.icebergext.(**)").should().beFreeOfCycles().check(CLASSES);
  }
}
