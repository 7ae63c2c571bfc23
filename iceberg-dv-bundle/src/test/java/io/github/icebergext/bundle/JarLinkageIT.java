package io.github.icebergext.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How the packaged jar fits what else is on the class path. */
class JarLinkageIT {
  private static final List<String> ANNOTATIONS =
      List.of(" org.jspecify.annotations.", " com.google.errorprone.annotations.");

  @Test
  void everyClassLoadsWithAllItsMembers() {
    assertThat(DropInJar.classNames())
        .hasSizeGreaterThan(100)
        .allSatisfy(name -> assertThat(members(DropInJar.load(name))).isNotNull());
  }

  /** Annotations may be absent: the JVM ignores those that it cannot find. */
  @Test
  void everyClassThatTheCodeNamesIsThere() {
    StringWriter output = new StringWriter();
    int exit =
        ToolProvider.findFirst("jdeps")
            .orElseThrow()
            .run(
                new PrintWriter(output),
                new PrintWriter(output),
                "--multi-release",
                "17",
                "--missing-deps",
                "--class-path",
                System.getProperty("java.class.path"),
                DropInJar.path().toString());
    assertThat(exit).as(output.toString()).isZero();
    assertThat(output.toString().lines())
        .filteredOn(line -> line.startsWith(" "))
        .allMatch(line -> ANNOTATIONS.stream().anyMatch(line::contains));
  }

  @Test
  void noClassStandsTwiceOnTheClassPath() {
    assertThat(DropInJar.entries())
        .filteredOn(entry -> entry.endsWith(".class"))
        .allSatisfy(entry -> assertThat(places(entry)).hasSize(1));
  }

  @Test
  void noRelocatedTypeStandsInAPublicSignature() {
    List<String> signatures =
        DropInJar.classNames().stream()
            .filter(name -> !name.startsWith(DropInJar.SHADED))
            .map(DropInJar::load)
            .filter(JarLinkageIT::isVisible)
            .flatMap(JarLinkageIT::signatures)
            .toList();
    assertThat(signatures).isNotEmpty().noneMatch(text -> text.contains(DropInJar.SHADED));
  }

  /** Iceberg's Spark runtime relocates what it brings: whatever runs there is this jar's own. */
  @Test
  void thirdPartyCodeIsOnTheClassPathOnlyWhereIcebergBringsIt() {
    boolean relocated = Boolean.getBoolean("iceberg.relocated");
    List<String> broughtByIceberg =
        List.of(
            "com/fasterxml/jackson/core/JsonParser.class",
            "io/airlift/compress/zstd/ZstdDecompressor.class",
            "com/github/benmanes/caffeine/cache/Cache.class");
    assertThat(broughtByIceberg)
        .allSatisfy(entry -> assertThat(places(entry)).hasSize(relocated ? 0 : 1));
    assertThat(places("net/jpountz/lz4/LZ4Factory.class")).isEmpty();
  }

  private static List<String> places(String entry) {
    try {
      return Collections.list(JarLinkageIT.class.getClassLoader().getResources(entry)).stream()
          .map(Object::toString)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isVisible(Class<?> type) {
    return isVisible(type.getModifiers())
        && (type.getDeclaringClass() == null || isVisible(type.getDeclaringClass()));
  }

  private static boolean isVisible(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  private static Stream<String> signatures(Class<?> type) {
    List<String> signatures = new ArrayList<>();
    signatures.add(type.toGenericString());
    if (type.getGenericSuperclass() != null) {
      signatures.add(type.getGenericSuperclass().getTypeName());
    }
    for (var implemented : type.getGenericInterfaces()) {
      signatures.add(implemented.getTypeName());
    }
    Stream<String> members =
        members(type).stream().filter(member -> isVisible(member.modifiers())).map(Member::text);
    return Stream.concat(signatures.stream(), members);
  }

  private static List<Member> members(Class<?> type) {
    List<Member> members = new ArrayList<>();
    for (Field field : type.getDeclaredFields()) {
      members.add(new Member(field.getModifiers(), field.toGenericString()));
    }
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      members.add(member(constructor));
    }
    for (Executable method : type.getDeclaredMethods()) {
      members.add(member(method));
    }
    return members;
  }

  private static Member member(Executable executable) {
    return new Member(executable.getModifiers(), executable.toGenericString());
  }

  private record Member(int modifiers, String text) {}
}
