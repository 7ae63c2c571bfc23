package io.github.icebergext.cli.text;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * Where output goes.
 *
 * @param out results
 * @param err error lines
 * @param ink colours of {@code out}
 * @param columns characters that fit a line of {@code out}; {@link #UNLIMITED} when it is no
 *     terminal, so that nothing is shortened for a file or a pipe
 */
public record Terminal(PrintWriter out, PrintWriter err, Ink ink, int columns) {
  public static final int UNLIMITED = Integer.MAX_VALUE;

  private static final int DEFAULT_COLUMNS = 80;
  private static final int MIN_COLUMNS = 40;

  /** Returns the standard streams, with colours only on a terminal that wants them. */
  public static Terminal system() {
    // The launcher tells: no Java class can on every version, as a console exists without a
    // terminal
    // from JDK 22 on, and before that none exists when only input is redirected.
    boolean interactive = Boolean.getBoolean("icedv.terminal");
    return new Terminal(
        writer(FileDescriptor.out),
        writer(FileDescriptor.err),
        new Ink(interactive && wantsColour()),
        interactive ? Math.max(MIN_COLUMNS, systemColumns()) : UNLIMITED);
  }

  /** Returns the characters that a drawing may take, {@code taken} of the line being used. */
  public int drawingColumns(int taken) {
    return (columns == UNLIMITED ? DEFAULT_COLUMNS : columns) - taken;
  }

  private static boolean wantsColour() {
    String noColour = System.getenv("NO_COLOR");
    return (noColour == null || noColour.isEmpty()) && !"dumb".equals(System.getenv("TERM"));
  }

  private static int systemColumns() {
    Integer told = Integer.getInteger("icedv.columns");
    return told == null ? DEFAULT_COLUMNS : told;
  }

  private static PrintWriter writer(FileDescriptor descriptor) {
    return new PrintWriter(
        new OutputStreamWriter(new FileOutputStream(descriptor), StandardCharsets.UTF_8), false);
  }
}
