package io.github.icebergext.cli.source;

import java.util.Map;
import java.util.Stack;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * Takes one {@code KEY=VALUE} after an option, and those that follow it, so that the option need
 * not be repeated and yet leaves a table after them alone.
 */
final class Assignments implements IParameterConsumer {
  @Override
  public void consumeParameters(Stack<String> args, ArgSpec option, CommandSpec command) {
    if (args.isEmpty() || !isAssignment(args.peek())) {
      throw new ParameterException(
          command.commandLine(),
          "Expected "
              + option.paramLabel()
              + " after "
              + option
              + (args.isEmpty() ? "" : " but was '" + args.peek() + "'"));
    }
    Map<String, String> values = option.getValue();
    while (!args.isEmpty() && isAssignment(args.peek())) {
      String assignment = args.pop();
      int equals = assignment.indexOf('=');
      values.put(assignment.substring(0, equals), assignment.substring(equals + 1));
    }
  }

  private static boolean isAssignment(String arg) {
    return arg.indexOf('=') > 0 && !arg.startsWith("-");
  }
}
