/**
 * {@code icedv}, the command line over Puffin files and deletion vectors.
 *
 * <p>A class per command. A command gathers facts into a report, and the report is written as text
 * for a person or as JSON for a script, so both say the same. What a command gathers is in {@code
 * file}, {@code table} and {@code mend}; here are the options and their converters, {@code Output},
 * which prints every report, and the demo.
 *
 * <p>Start with {@code Icedv}, then {@code InspectCommand} for files and {@code TableCommand} for
 * tables.
 */
@NullMarked
package io.github.icebergext.cli;

import org.jspecify.annotations.NullMarked;
