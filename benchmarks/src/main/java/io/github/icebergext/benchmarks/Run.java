package io.github.icebergext.benchmarks;

import io.github.icebergext.benchmarks.vector.RetainedBytes;
import java.util.Arrays;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs benchmarks and prints how Iceberg's time compares with ours. */
public final class Run {
  /** G1 treats arrays of 1 MB and more apart, which makes results jump between forks. */
  private static final String[] JVM_ARGUMENTS = {
    "-Xms4g", "-Xmx4g", "-Xmn2g", "-XX:+UseParallelGC", "-XX:+AlwaysPreTouch"
  };

  private Run() {}

  /**
   * Runs the benchmarks that the first argument selects, unless it is an option of JMH: a part of
   * their names, or of their package. The other arguments are JMH's own and go before the defaults.
   */
  public static void main(String[] arguments) throws CommandLineOptionException, RunnerException {
    boolean filtered = arguments.length > 0 && !arguments[0].startsWith("-");
    String[] forJmh = filtered ? Arrays.copyOfRange(arguments, 1, arguments.length) : arguments;
    ChainedOptionsBuilder options = withDefaults(new CommandLineOptions(forJmh));
    if (filtered) {
      options.include(regularExpression(arguments[0]));
    }
    boolean counted = filtered && isSelected(RetainedBytes.class, arguments[0]);
    try {
      Collection<RunResult> results = new Runner(options.build()).run();
      Report.of(results).lines().forEach(System.out::println);
    } catch (NoBenchmarksException e) {
      if (!counted) {
        throw e;
      }
    }
    if (counted) {
      RetainedBytes.lines().forEach(System.out::println);
    }
  }

  private static boolean isSelected(Class<?> type, String filter) {
    return Pattern.compile(regularExpression(filter)).matcher(type.getName()).find();
  }

  /** Turns {@code keep-mask} into what finds {@code KeepMaskBenchmark}. */
  private static String regularExpression(String filter) {
    return "(?i)" + filter.replace("-", "");
  }

  private static ChainedOptionsBuilder withDefaults(CommandLineOptions given) {
    boolean quick = System.getenv("BENCHMARKS_QUICK") != null;
    TimeValue iteration = TimeValue.milliseconds(quick ? 100 : 300);
    return new OptionsBuilder()
        .parent(given)
        .mode(Mode.AverageTime)
        .timeUnit(given.getTimeUnit().orElse(TimeUnit.MICROSECONDS))
        .forks(given.getForkCount().orElse(quick ? 1 : 3))
        .warmupIterations(given.getWarmupIterations().orElse(quick ? 2 : 5))
        .warmupTime(given.getWarmupTime().orElse(iteration))
        .measurementIterations(given.getMeasurementIterations().orElse(quick ? 3 : 5))
        .measurementTime(given.getMeasurementTime().orElse(iteration))
        .jvmArgs(given.getJvmArgs().orElse(Arrays.asList(JVM_ARGUMENTS)).toArray(String[]::new))
        .shouldFailOnError(true)
        .resultFormat(given.getResultFormat().orElse(ResultFormatType.JSON))
        .result(given.getResult().orElse("benchmarks/target/jmh-result.json"));
  }
}
