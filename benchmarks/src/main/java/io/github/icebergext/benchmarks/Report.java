package io.github.icebergext.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.util.Statistics;

/** The lines that compare the methods of each benchmark on each shape. */
record Report(List<String> lines) {

  /**
   * Compares results of one run: first the methods beside the two compared, then the ratios.
   *
   * <p>A ratio line reads {@code ratio BENCHMARK SHAPE OURS ICEBERG ICEBERG/OURS}, above 1 where
   * ours is faster, followed by the lower and the upper end of the ratio's interval and the unit.
   * Times are medians.
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
    Median own = Median.of(ours.getStatistics());
    Median others = Median.of(other.getStatistics());
    return decimal(own.value())
        + " "
        + decimal(others.value())
        + " "
        + decimal(others.value() / own.value())
        + " "
        + decimal(others.lower() / own.upper())
        + " "
        + decimal(others.upper() / own.lower())
        + " "
        + ours.getScoreUnit();
  }

  /**
   * The median of iterations, which a few disturbed ones do not move, and an interval that holds
   * the true one with 95 % or more whatever the distribution: between iterations that far from both
   * ends. Of fewer than six iterations it is from the first to the last.
   */
  private record Median(double value, double lower, double upper) {
    private static final double MAX_ERROR = 0.05;

    static Median of(Statistics statistics) {
      double[] sorted = new double[(int) statistics.getN()];
      int count = 0;
      for (Iterator<Map.Entry<Double, Long>> i = statistics.getRawData(); i.hasNext(); ) {
        Map.Entry<Double, Long> value = i.next();
        Arrays.fill(sorted, count, count + value.getValue().intValue(), value.getKey());
        count += value.getValue().intValue();
      }
      Arrays.sort(sorted);
      int skipped = skipped(sorted.length);
      return new Median(
          statistics.getPercentile(50), sorted[skipped], sorted[sorted.length - 1 - skipped]);
    }

    /** Returns how many values may be left out at each end: a sum of binomial probabilities. */
    private static int skipped(int count) {
      double probability = Math.pow(0.5, count);
      double error = 2 * probability;
      int skipped = 0;
      while (error <= MAX_ERROR) {
        skipped++;
        probability = probability * (count - skipped + 1) / skipped;
        error += 2 * probability;
      }
      return Math.max(skipped - 1, 0);
    }
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
      String words =
          className
              .replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z])(?=[0-9])", "-")
              .toLowerCase(Locale.ROOT);
      return new Case(words, params.getParam("shape"));
    }

    @Override
    public String toString() {
      return benchmark + " " + shape;
    }
  }
}
