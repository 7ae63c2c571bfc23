package io.github.icebergext.benchmarks;

import io.github.icebergext.benchmarks.read.BytesInFlight;
import io.github.icebergext.benchmarks.read.RequestCounts;
import io.github.icebergext.benchmarks.vector.RetainedBytes;
import io.github.icebergext.benchmarks.write.WriteClusteredPeak;
import io.github.icebergext.benchmarks.write.WriteManyHeld;
import io.github.icebergext.benchmarks.write.WritePreviousHeap;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs benchmarks and prints how Iceberg's time compares with ours. */
public final class Run {
  /** G1 treats arrays of 1 MB and more apart, which makes results jump between forks. */
  private static final String[] JVM_ARGUMENTS = {
    "-Xms4g", "-Xmx4g", "-Xmn2g", "-XX:+UseParallelGC", "-XX:+AlwaysPreTouch"
  };

  /** What is not timed, printed after what is. */
  private static final List<Counted> COUNTED =
      List.of(
          new Counted(RetainedBytes.class, RetainedBytes::lines),
          new Counted(RequestCounts.class, RequestCounts::lines),
          new Counted(BytesInFlight.class, BytesInFlight::lines),
          new Counted(WriteManyHeld.class, WriteManyHeld::lines),
          new Counted(WritePreviousHeap.class, WritePreviousHeap::lines),
          new Counted(WriteClusteredPeak.class, WriteClusteredPeak::lines));

  private record Counted(Class<?> type, Callable<List<String>> lines) {
    boolean isSelected(String filter) {
      return Pattern.compile(regularExpression(filter)).matcher(type.getName()).find();
    }
  }

  private Run() {}

  /**
   * Runs the benchmarks that the first argument selects, unless it is an option of JMH: a part of
   * their names, or of their package. The other arguments are JMH's own and go before the defaults.
   */
  public static void main(String[] arguments) throws Exception {
    boolean filtered = arguments.length > 0 && !arguments[0].startsWith("-");
    String[] forJmh = filtered ? Arrays.copyOfRange(arguments, 1, arguments.length) : arguments;
    ChainedOptionsBuilder options = withDefaults(new CommandLineOptions(forJmh));
    if (filtered) {
      options.include(regularExpression(arguments[0]));
    }
    List<Counted> counted =
        COUNTED.stream().filter(count -> filtered && count.isSelected(arguments[0])).toList();
    try {
      Collection<RunResult> results = new Runner(options.build()).run();
      Report.of(results).lines().forEach(System.out::println);
    } catch (NoBenchmarksException e) {
      if (counted.isEmpty()) {
        throw e;
      }
    }
    for (Counted count : counted) {
      count.lines().call().forEach(System.out::println);
    }
  }

  /** Turns {@code keep-mask} into what finds {@code KeepMaskBenchmark}. */
  private static String regularExpression(String filter) {
    return "(?i)" + filter.replace("-", "");
  }

  private static ChainedOptionsBuilder withDefaults(CommandLineOptions given) {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .parent(given)
            .mode(Mode.AverageTime)
            .timeUnit(given.getTimeUnit().orElse(TimeUnit.MICROSECONDS))
            .jvmArgs(given.getJvmArgs().orElse(Arrays.asList(JVM_ARGUMENTS)).toArray(String[]::new))
            .shouldFailOnError(true)
            .resultFormat(given.getResultFormat().orElse(ResultFormatType.JSON))
            .result(given.getResult().orElse("benchmarks/target/jmh-result.json"));
    return System.getenv("BENCHMARKS_QUICK") == null ? options : quick(options, given);
  }

  /** Shortens what benchmarks say themselves. */
  private static ChainedOptionsBuilder quick(
      ChainedOptionsBuilder options, CommandLineOptions given) {
    TimeValue iteration = TimeValue.milliseconds(100);
    return options
        .forks(given.getForkCount().orElse(1))
        .warmupTime(given.getWarmupTime().orElse(iteration))
        .measurementTime(given.getMeasurementTime().orElse(iteration));
  }
}
