package io.github.icebergext.integration;

import java.io.IOException;

/** One of those who work on the table of a soak, each in a thread of its own. */
interface SoakActor {
  /** Returns a name that no other actor has. */
  String name();

  /**
   * Does one thing. Nothing is at work while the table is checked, so whatever the step begins it
   * ends, and leaves no file that no snapshot refers to.
   *
   * <p>Whatever it throws, an {@link AssertionError} included, is a failure of the soak.
   *
   * @return whether it took effect; if not, there was nothing to do, or somebody else was faster
   */
  boolean step() throws IOException;

  /** Returns how long the actor rests at most after a step; it rests for half of that at least. */
  default int restMillis() {
    return 100;
  }
}
