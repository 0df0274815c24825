package io.tony.am.scheduler;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Event.ContainerEnd;
import io.tony.config.TonyConfig;
import io.tony.model.FailureKind;
import java.util.Map;
import java.util.Optional;
import org.junit.Test;

/** Containers whose JVM did not start, by what YARN shows of their stderr. */
public class ExitCodesTest {
  private static final TonyConfig CONFIG =
      TonyConfig.builder()
          .layer("the test", Map.of("tony.task.executor.jvm.opts", "-XX:+NoSuchThing -Xss1m"))
          .build();

  private static final String REFUSED =
      """
      Exception from container-launch.
      Last 4096 bytes of stderr :
      Unrecognized VM option 'NoSuchThing'
      Error: Could not create the Java Virtual Machine.
      """;

  @Test
  public void shouldNotStartAgainWithOptionsThatAJvmRefuses() {
    ContainerEnd end = ExitCodes.startFailure(CONFIG, 1, REFUSED).orElseThrow();

    assertEquals(FailureKind.INVALID, end.cause()); // of which no retry is left, ever
    assertEquals(
        "Java does not start the TonY executor with the JVM options of tony.task.executor.jvm.opts:"
            + " Unrecognized VM option 'NoSuchThing'. Another start would end the same way: change"
            + " the options",
        end.message());
  }

  @Test
  public void shouldTryANodeThatHasAJava() {
    ContainerEnd end =
        ExitCodes.startFailure(
                CONFIG, 127, "bash: line 1: /no/bin/java: No such file or directory\n")
            .orElseThrow();

    assertEquals(FailureKind.LOST, end.cause());
    assertTrue(end.message(), end.message().startsWith("the node has no Java for the TonY"));
  }

  /** A program may have started a JVM of its own, with options of its own. */
  @Test
  public void shouldNotBlameTheOptionsForAnExecutorThatWasKilled() {
    assertEquals(Optional.empty(), ExitCodes.startFailure(CONFIG, 137, REFUSED));
    assertEquals(
        Optional.empty(), ExitCodes.startFailure(CONFIG, 1, "Traceback (most recent call"));
  }
}
