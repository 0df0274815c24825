package io.tony.client.narrate;

import io.tony.client.output.DurationText;
import io.tony.event.AccessFact;
import java.time.Duration;

/**
 * Formats lines for users about shell sessions in the containers of tasks, and about containers
 * that are kept after a failure so that users can open a shell.
 */
final class ShellAuditLine {
  private ShellAuditLine() {}

  static String line(AccessFact.ShellSession shell) {
    return shell.user()
        + (shell.closed()
            ? " has left the shell in the container of "
            : " opens a shell in the container of ")
        + shell.task();
  }

  static String line(AccessFact.ContainerHeld held, String application) {
    return held.task()
        + " failed with exit code "
        + held.exitCode()
        + (held.message().isEmpty() ? "" : " (" + held.message() + ")")
        + "; its container is kept for "
        + DurationText.format(Duration.ofMillis(held.limitMs()))
        + " before the failure is reported. Look into it: tony shell "
        + application
        + " "
        + held.task();
  }
}
