/**
 * How everything is said: to people on a terminal, to scripts as JSON and exit codes.
 *
 * <p>First {@code Report} and {@code Outcome}, then {@code Terminal} with {@code FactSheet} and
 * {@code TextTable}, and {@code Json}. What comes from files is made {@code Printable}. What is
 * wrong is a {@code Problem} of the file or table, or a {@code CommandException}, which {@code
 * Errors} prints.
 *
 * <p>Knows neither files nor tables, and imports no other package of the command line.
 */
@NullMarked
package io.github.icebergext.cli.text;

import org.jspecify.annotations.NullMarked;
