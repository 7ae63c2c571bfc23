package io.github.icebergext.integration;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The public and protected types and members of a library, as lines that read like Java. */
final class PublicApi {
  /** Ends the names of packages whose public types are for the library itself. */
  static final String INTERNAL = ".internal";

  private PublicApi() {}

  /** Lists the API of the jar or folder that {@code member} was loaded from. */
  static List<String> of(Class<?> member) {
    List<String> lines = new ArrayList<>();
    String inPackage = "";
    for (Class<?> type : types(member)) {
      if (!type.getPackageName().equals(inPackage)) {
        inPackage = type.getPackageName();
        lines.addAll(List.of("package " + inPackage, ""));
      }
      lines.addAll(lines(type));
    }
    return lines;
  }

  private static List<Class<?>> types(Class<?> member) {
    try {
      Path place = Path.of(member.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isDirectory(place)) {
        return types(member, place);
      }
      try (FileSystem jar = FileSystems.newFileSystem(place)) {
        return types(member, jar.getPath("/"));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Class<?>> types(Class<?> member, Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .map(file -> root.relativize(file).toString())
          .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
          .map(file -> file.substring(0, file.length() - ".class".length()).replace('/', '.'))
          .<Class<?>>map(name -> load(name, member.getClassLoader()))
          .filter(PublicApi::isVisible)
          .sorted(Comparator.comparing(Class<?>::getPackageName).thenComparing(Class::getName))
          .toList();
    }
  }

  private static Class<?> load(String name, ClassLoader loader) {
    try {
      return Class.forName(name, false, loader);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isVisible(Class<?> type) {
    return !type.getPackageName().endsWith(INTERNAL)
        && isVisible(type.getModifiers())
        && !type.isAnonymousClass()
        && !type.isLocalClass()
        && (type.getDeclaringClass() == null || isVisible(type.getDeclaringClass()));
  }

  private static boolean isVisible(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  private static List<String> lines(Class<?> type) {
    List<String> lines = new ArrayList<>();
    lines.add(declaration(type));
    members(type).stream().sorted().distinct().forEach(member -> lines.add("  " + member));
    lines.add("");
    return lines;
  }

  private static String declaration(Class<?> type) {
    StringBuilder line = new StringBuilder(shorten(type, type.toGenericString()));
    if (type.isRecord()) {
      String components =
          Arrays.stream(type.getRecordComponents())
              .map(component -> component(type, component))
              .collect(joining(", ", "(", ")"));
      line.append(components);
    }
    Type superclass = type.getGenericSuperclass();
    if (superclass != null && !isImplied(superclass)) {
      line.append(" extends ").append(shorten(type, superclass.getTypeName()));
    }
    if (type.getInterfaces().length > 0) {
      line.append(type.isInterface() ? " extends " : " implements ")
          .append(list(type, type.getGenericInterfaces()));
    }
    return line.toString();
  }

  private static String component(Class<?> type, RecordComponent component) {
    return shorten(type, component.getGenericType().getTypeName()) + " " + component.getName();
  }

  private static boolean isImplied(Type superclass) {
    return superclass.equals(Object.class)
        || superclass.equals(Record.class)
        || superclass.getTypeName().startsWith("java.lang.Enum<");
  }

  /** The members of a type, and those it has from superclasses that a caller cannot see. */
  private static List<String> members(Class<?> type) {
    List<String> members = new ArrayList<>();
    for (Class<?> place = type;
        place != null && (place == type || !isVisible(place));
        place = place.getSuperclass()) {
      Arrays.stream(place.getDeclaredFields())
          .filter(field -> isVisible(field.getModifiers()) && !field.isSynthetic())
          .forEach(field -> members.add(field(type, field)));
      Arrays.stream(place.getDeclaredMethods())
          .filter(method -> isVisible(method.getModifiers()) && !method.isSynthetic())
          .forEach(method -> members.add(method(type, method)));
    }
    Arrays.stream(type.getDeclaredConstructors())
        .filter(constructor -> isVisible(constructor.getModifiers()) && !constructor.isSynthetic())
        .forEach(constructor -> members.add(constructor(type, constructor)));
    return members;
  }

  private static String field(Class<?> type, Field field) {
    String declared = shorten(type, field.getGenericType().getTypeName()) + " " + field.getName();
    return field.isEnumConstant()
        ? field.getName()
        : Modifier.toString(field.getModifiers()) + " " + declared;
  }

  private static String method(Class<?> type, Method method) {
    String returned = shorten(type, method.getGenericReturnType().getTypeName());
    return modifiers(method) + typeParameters(type, method) + returned + " " + call(type, method);
  }

  private static String constructor(Class<?> type, Constructor<?> constructor) {
    return modifiers(constructor) + typeParameters(type, constructor) + call(type, constructor);
  }

  private static String modifiers(Executable executable) {
    String modifiers = Modifier.toString(executable.getModifiers() & Modifier.methodModifiers());
    boolean isDefault = executable instanceof Method method && method.isDefault();
    return (isDefault ? modifiers + " default" : modifiers) + " ";
  }

  private static String typeParameters(Class<?> type, Executable executable) {
    TypeVariable<?>[] parameters = executable.getTypeParameters();
    if (parameters.length == 0) {
      return "";
    }
    return Arrays.stream(parameters)
        .map(parameter -> parameter.getName() + " extends " + list(type, parameter.getBounds()))
        .collect(joining(", ", "<", "> "));
  }

  private static String call(Class<?> type, Executable executable) {
    String name = executable instanceof Constructor ? type.getSimpleName() : executable.getName();
    String parameters = list(type, executable.getGenericParameterTypes());
    String thrown = list(type, executable.getGenericExceptionTypes());
    return name + "(" + parameters + ")" + (thrown.isEmpty() ? "" : " throws " + thrown);
  }

  private static String list(Class<?> type, Type[] types) {
    return Arrays.stream(types)
        .map(each -> shorten(type, each.getTypeName()))
        .collect(joining(", "));
  }

  /** Leaves out the packages that go without saying: the type's own and java.lang. */
  private static String shorten(Class<?> type, String text) {
    return text.replaceAll("\\bjava\\.lang\\.(?=[A-Z])", "")
        .replaceAll("\\b" + Pattern.quote(type.getPackageName() + ".") + "(?=[A-Z])", "")
        .replace('$', '.');
  }
}
