package io.github.icebergext.cli.text;

import io.github.icebergext.puffin.PuffinFormatException;
import io.github.icebergext.puffin.Reason;
import org.jspecify.annotations.Nullable;

/**
 * What is wrong with a file, a blob or a table.
 *
 * @param reason for scripts; null if none of the vocabulary fits
 * @param message for people
 */
public record Problem(@Nullable Reason reason, String message) {
  public static Problem of(PuffinFormatException e) {
    return new Problem(e.reason(), Errors.message(e));
  }

  public Json.Members toJson() {
    return Json.object().put("reason", reason).put("message", message);
  }
}
