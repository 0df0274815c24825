package io.tony.client.doctor;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.application.ExitCode;
import io.tony.client.output.JobLog;
import io.tony.process.ScarceSystem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

public class DoctorTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  private ExitCode run(Check... checks) throws InterruptedException {
    return new Doctor(new JobLog(printed)).run(Arrays.asList(checks));
  }

  /** Without the times, which stand at the end. */
  private List<String> lines() {
    return printed
        .toString(StandardCharsets.UTF_8)
        .lines()
        .map(line -> line.replaceFirst(" \\([0-9.]+ s\\)$", ""))
        .toList();
  }

  private static Check check(String name, Set<String> needs, Check.Probe look) {
    return new Check(name, needs, Duration.ofSeconds(30), "Repair " + name, look);
  }

  @Test
  public void shouldTellEachCheckInOneLine() throws Exception {
    ExitCode code =
        run(
            check("java", Set.of(), () -> Finding.ok("Java 17")),
            check("links", Set.of(), () -> Finding.warning("one is\n  dead.", "Revive it")));

    assertEquals(ExitCode.SUCCEEDED, code);
    assertEquals(
        List.of(
            "ok       java     Java 17",
            "warning  links    one is dead. Revive it",
            "1 ok, 1 warning"),
        lines());
  }

  @Test
  public void shouldSkipWhatNeedsAFailedCheckAndGoOnWithTheRest() throws Exception {
    ExitCode code =
        run(
            check("hdfs", Set.of(), () -> Finding.failed("no answer", "Start it")),
            check("yarn", Set.of(), () -> Finding.ok("2 nodes")),
            check("launch", Set.of("hdfs", "yarn"), () -> Finding.ok("never")),
            check("links", Set.of("launch"), () -> Finding.ok("never")));

    assertEquals(ExitCode.INFRASTRUCTURE, code);
    assertEquals(
        List.of(
            "failed   hdfs     no answer. Start it",
            "ok       yarn     2 nodes",
            "skipped  launch   needs hdfs",
            "skipped  links    needs launch",
            "1 ok, 1 failed, 2 skipped"),
        lines());
  }

  @Test
  public void shouldTellWhatWasThrownWithTheRemedyOfTheCheck() throws Exception {
    run(
        check(
            "hdfs",
            Set.of(),
            () -> {
              throw new IOException("\nPermission denied: user=alice\n\tat Some.java:1");
            }));

    assertEquals("failed   hdfs     Permission denied: user=alice. Repair hdfs", lines().get(0));
  }

  @Test
  public void shouldGiveUpACheckThatDoesNotAnswerAndLetItTidyUp() throws Exception {
    CountDownLatch tidied = new CountDownLatch(1);
    Check.Probe silent =
        () -> {
          try {
            new CountDownLatch(1).await();
            return Finding.ok("never");
          } finally {
            tidied.countDown();
          }
        };

    ExitCode code =
        run(new Check("yarn", Set.of(), Duration.ofMillis(300), "See whether it runs", silent));

    assertEquals(ExitCode.INFRASTRUCTURE, code);
    assertEquals("failed   yarn     no answer within 0.3 s. See whether it runs", lines().get(0));
    assertTrue(tidied.await(30, TimeUnit.SECONDS));
  }

  @Test
  public void shouldSayThatThereIsNoThreadForACheckAndMakeTheNext() throws Exception {
    ScarceSystem.withoutTheNextThread(
        () ->
            run(
                check("hdfs", Set.of(), () -> Finding.ok("it is there")),
                check("yarn", Set.of(), () -> Finding.ok("2 nodes"))));

    assertTrue(
        lines().get(0),
        lines().get(0).startsWith("failed   hdfs     no thread can be had for check-hdfs: "));
    assertEquals("ok       yarn     2 nodes", lines().get(1));
  }
}
