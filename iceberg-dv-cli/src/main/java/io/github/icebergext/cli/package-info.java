/**
 * {@code icedv}, the command line over Puffin files and deletion vectors.
 *
 * <p>One class a command. A command gathers facts into a report, and the report is written as text
 * for a person or as JSON for a script, so that both say the same.
 */
@NullMarked
package io.github.icebergext.cli;

import org.jspecify.annotations.NullMarked;
