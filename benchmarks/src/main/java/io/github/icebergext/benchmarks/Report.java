package io.github.icebergext.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/** The lines that compare the methods of each benchmark on each shape. */
record Report(List<String> lines) {

  /**
   * Compares results of one run: first the methods beside the two compared, then the ratios.
   *
   * <p>A ratio line reads {@code ratio BENCHMARK SHAPE OURS ICEBERG ICEBERG/OURS}, above 1 where
   * ours is faster, followed by the lower and the upper end of the ratio's interval and the unit.
   */
  static Report of(Collection<RunResult> results) {
    Map<Case, Map<String, Result<?>>> cases = new LinkedHashMap<>();
    for (RunResult result : results) {
      cases
          .computeIfAbsent(Case.of(result.getParams()), key -> new LinkedHashMap<>())
          .put(method(result.getParams()), result.getPrimaryResult());
    }
    List<String> beside = new ArrayList<>();
    List<String> ratios = new ArrayList<>();
    cases.forEach((key, methods) -> compare(key, methods, beside, ratios));
    beside.addAll(ratios);
    return new Report(List.copyOf(beside));
  }

  private static void compare(
      Case key, Map<String, Result<?>> methods, List<String> beside, List<String> ratios) {
    Result<?> ours = methods.get("ours");
    methods.forEach(
        (name, result) -> {
          if (name.equals("iceberg") && ours != null) {
            ratios.add("ratio " + key + " " + comparison(ours, result));
          } else if (!name.equals("ours") && ours != null) {
            beside.add("beside " + key + " " + name + " " + comparison(ours, result));
          }
        });
  }

  private static String comparison(Result<?> ours, Result<?> other) {
    double ratio = other.getScore() / ours.getScore();
    double margin = ratio * Math.hypot(relativeError(ours), relativeError(other));
    return decimal(ours.getScore())
        + " "
        + decimal(other.getScore())
        + " "
        + decimal(ratio)
        + " "
        + decimal(ratio - margin)
        + " "
        + decimal(ratio + margin)
        + " "
        + ours.getScoreUnit();
  }

  /** Half of JMH's 99.9 % interval, as a part of the score; 0 where one iteration tells nothing. */
  private static double relativeError(Result<?> result) {
    double error = result.getScoreError() / result.getScore();
    return Double.isNaN(error) ? 0 : error;
  }

  private static String decimal(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }

  private static String method(BenchmarkParams params) {
    String name = params.getBenchmark();
    return name.substring(name.lastIndexOf('.') + 1);
  }

  private record Case(String benchmark, String shape) {
    static Case of(BenchmarkParams params) {
      String[] parts = params.getBenchmark().split("\\.", -1);
      String className = parts[parts.length - 2].replaceAll("Benchmark$", "");
      String words = className.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
      return new Case(words, params.getParam("shape"));
    }

    @Override
    public String toString() {
      return benchmark + " " + shape;
    }
  }
}
