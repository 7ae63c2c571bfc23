package io.github.icebergext.cli.file;

import io.github.icebergext.cli.text.CommandException;
import io.github.icebergext.dv.DeletedPositions;
import java.io.PrintWriter;

/** Prints positions for other programs, one a line. */
public final class PositionsPrinter {
  /** Positions after which to look whether anyone still reads them. */
  private static final int CHECK_EVERY = 1 << 16;

  private PositionsPrinter() {}

  /**
   * Prints the positions.
   *
   * @param start what each line starts with, before the position
   * @throws CommandException if nobody reads the output any more
   */
  public static void print(PrintWriter out, String start, DeletedPositions positions) {
    long[] printed = {0};
    positions.forEach(
        position -> {
          out.print(start);
          out.print(position);
          out.print('\n');
          if (++printed[0] % CHECK_EVERY == 0 && out.checkError()) {
            throw new CommandException("output is closed");
          }
        });
  }
}
