package io.github.icebergext.integration;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
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
import org.apache.iceberg.ManifestFiles;
import org.junit.jupiter.api.Test;

/** Holds the code to the picture of packages in ARCHITECTURE.md. */
class ArchitectureTest {
  private static final String ROOT = "io.github.icebergext.dv";

  /** Begins the block of ARCHITECTURE.md that is read here. */
  private static final String BLOCK = "```packages";

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.github.icebergext.puffin", ROOT);

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

  /** Returns the name that a package of this library has in the picture. */
  private static String room(JavaClass type) {
    String name = type.getPackageName();
    if (!name.startsWith(ROOT)) {
      return "puffin";
    }
    String[] rest = name.substring(ROOT.length()).split("\\.", -1);
    return rest.length < 2 ? "dv" : rest[1];
  }

  private static Map<String, Set<String>> imported() {
    Map<String, Set<String>> imported = new TreeMap<>();
    for (JavaClass type : CLASSES) {
      Set<String> others = imported.computeIfAbsent(room(type), room -> new TreeSet<>());
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        if (target.getPackageName().startsWith("io.github.icebergext.")
            && !room(target).equals(room(type))) {
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

  @Test
  void onlyTwoClassesReadManifests() {
    noClasses()
        .that(
            DescribedPredicate.not(
                DescribedPredicate.describe(
                    "read the live entries of snapshots",
                    (JavaClass type) ->
                        Set.of("SnapshotFiles", "RetainedFiles").contains(type.getSimpleName()))))
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(ManifestFiles.class)
        .check(CLASSES);
  }

  @Test
  void noPackageIsLargerThanFortyFiveFiles() {
    Map<String, Set<String>> files = new TreeMap<>();
    for (JavaClass type : CLASSES) {
      type.getSource()
          .flatMap(source -> source.getFileName())
          .ifPresent(
              file ->
                  files.computeIfAbsent(type.getPackageName(), name -> new TreeSet<>()).add(file));
    }
    assertThat(files)
        .allSatisfy((name, sources) -> assertThat(sources).hasSizeLessThanOrEqualTo(45));
  }

  @Test
  void theContainerKnowsNoOtherPackageOfOurs() {
    noClasses()
        .that(resideInAPackage("io.github.icebergext.puffin"))
        .should()
        .dependOnClassesThat(resideInAPackage(ROOT + ".."))
        .check(CLASSES);
  }
}
