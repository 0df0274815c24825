package io.tony.client.follow;

import io.tony.fact.LookFact;
import java.time.Duration;

/** What is told of those who look into the containers of tasks. */
final class LookingIn {
  private LookingIn() {}

  static String line(LookFact.Shell shell) {
    return shell.who()
        + (shell.left()
            ? " has left the shell in the container of "
            : " opens a shell in the container of ")
        + shell.task();
  }

  static String line(LookFact.Held held, String application) {
    return held.task()
        + " failed with exit code "
        + held.exitCode()
        + (held.message().isEmpty() ? "" : " (" + held.message() + ")")
        + "; its container is kept for "
        + Durations.text(Duration.ofMillis(held.limitMs()))
        + " before the failure is reported. Look into it: tony shell "
        + application
        + " "
        + held.task();
  }
}
