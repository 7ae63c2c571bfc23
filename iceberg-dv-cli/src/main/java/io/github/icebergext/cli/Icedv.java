package io.github.icebergext.cli;

import io.github.icebergext.cli.text.Errors;
import io.github.icebergext.cli.text.Terminal;
import java.util.List;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line {@code icedv}. */
@Command(
    name = "icedv",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    description = "Looks into Puffin files and deletion vectors of Apache Iceberg tables.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:fine",
      "1:findings: what was read breaks a rule of its format, there are orphans, or an expiry could"
          + " not delete all files",
      "2:error: something could not be read, or the command line is wrong"
    },
    footerHeading = "%nEnvironment:%n",
    footer = {
      "  ICEDV_CLASSPATH  jars of further catalogs and file systems",
      "  NO_COLOR         no colours when not empty"
    })
final class Icedv implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  private Icedv() {}

  /** Runs the command that the arguments name and exits with its code. */
  public static void main(String[] args) {
    // Before the first logger: only --debug shows what the libraries below have to say.
    System.setProperty(
        "org.slf4j.simpleLogger.defaultLogLevel",
        List.of(args).contains("--debug") ? "info" : "off");
    System.exit(run(Terminal.system(), args));
  }

  /** Runs the command that the arguments name and returns its exit code. */
  static int run(Terminal terminal, String... args) {
    GlobalOptions options = new GlobalOptions();
    Errors errors = new Errors(terminal, () -> options.debug);
    int exitCode;
    try {
      exitCode = commandLine(terminal, options, errors).execute(args);
    } catch (LinkageError | VirtualMachineError e) {
      // A jar that is missing, or memory that does not suffice: no exceptions, but the user's to
      // mend.
      exitCode = errors.print(e).exitCode();
    }
    terminal.out().flush();
    terminal.err().flush();
    return exitCode;
  }

  private static CommandLine commandLine(Terminal terminal, GlobalOptions options, Errors errors) {
    Output output = new Output(terminal, options);
    EachFile eachFile = new EachFile(output, errors);
    CommandLine commandLine =
        new CommandLine(new Icedv())
            .addMixin("global", options)
            .addSubcommand("demo", new DemoCommand(output))
            .addSubcommand("inspect", new InspectCommand(eachFile))
            .addSubcommand("show", new ShowCommand(output, eachFile))
            .addSubcommand("table", new TableCommand(output))
            .addSubcommand("diff", new DiffCommand(output))
            .addSubcommand("delete", new DeleteCommand(output))
            .addSubcommand("expire", new ExpireCommand(output))
            .addSubcommand("protect", new ProtectCommand(output))
            .addSubcommand("orphans", new OrphansCommand(output))
            .addSubcommand("help", new HelpCommand())
            .addSubcommand("completion", new GenerateCompletion());
    return commandLine
        .setOut(terminal.out())
        .setErr(terminal.err())
        .setColorScheme(
            CommandLine.Help.defaultColorScheme(terminal.ink().on() ? Ansi.ON : Ansi.OFF))
        .setParameterExceptionHandler((e, arguments) -> errors.usage(e))
        .setExecutionExceptionHandler((e, command, parsed) -> errors.print(e).exitCode());
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command");
  }
}
