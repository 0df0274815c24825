package io.tony.azkaban4;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * One execution of a flow, as Azkaban's API shows it. Azkaban sends no events: what is awaited is
 * looked at every 200 ms.
 */
final class Execution {

  private static final Pattern APPLICATION_ID = Pattern.compile("application_\\d+_\\d+");
  private static final Set<String> FINAL =
      Set.of("SUCCEEDED", "FAILED", "KILLED", "EXECUTION_STOPPED");
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final long LOOK_MILLIS = 200;

  private final Azkaban4 azkaban;
  private final int id;

  Execution(Azkaban4 azkaban, int id) {
    this.azkaban = azkaban;
    this.id = id;
  }

  int id() {
    return id;
  }

  // ---- What is done to it ----

  /** Presses Kill; Azkaban answers when the jobs have been told. */
  void kill() throws IOException, InterruptedException {
    azkaban.api().act("cancelFlow", id);
  }

  /** Presses Retry Failed, which starts the failed jobs of a running execution again. */
  void retryFailed() throws IOException, InterruptedException {
    azkaban.api().act("retryFailedJobs", id);
  }

  void pause() throws IOException, InterruptedException {
    azkaban.api().act("pauseFlow", id);
  }

  void resume() throws IOException, InterruptedException {
    azkaban.api().act("resumeFlow", id);
  }

  // ---- What is seen of it ----

  String status() throws IOException, InterruptedException {
    return azkaban.api().execution(id).path("status").asText();
  }

  /** The status of a job's last attempt. */
  String status(String job) throws IOException, InterruptedException {
    return node(job).path("status").asText();
  }

  /** The statuses of all attempts of a job, in their order. */
  List<String> attempts(String job) throws IOException, InterruptedException {
    List<String> statuses = new ArrayList<>();
    JsonNode node = node(job);
    node.path("pastAttempts").forEach(past -> statuses.add(past.path("status").asText()));
    statuses.add(node.path("status").asText());
    return statuses;
  }

  private JsonNode node(String job) throws IOException, InterruptedException {
    for (JsonNode node : azkaban.api().execution(id).path("nodes")) {
      if (node.path("id").asText().equals(job)) {
        return node;
      }
    }
    throw new IllegalArgumentException("execution " + id + " has no job " + job);
  }

  /** The log of a job's last attempt. */
  String log(String job) throws IOException, InterruptedException {
    return log(job, node(job).path("attempt").asInt());
  }

  String log(String job, int attempt) throws IOException, InterruptedException {
    return azkaban.api().log(id, job, attempt);
  }

  String flowLog() throws IOException, InterruptedException {
    return azkaban.api().flowLog(id);
  }

  /** The ids of the applications that the log of a job's last attempt names, in their order. */
  List<String> applications(String job) throws IOException, InterruptedException {
    return APPLICATION_ID.matcher(log(job)).results().map(MatchResult::group).distinct().toList();
  }

  /** The only application that the log of a job's last attempt names. */
  String application(String job) throws IOException, InterruptedException {
    List<String> ids = applications(job);
    assertEquals(log(job), 1, ids.size());
    return ids.get(0);
  }

  // ---- What is awaited ----

  /** Waits for a text in the log of a job's last attempt; fails at once when the flow has ended. */
  void awaitLine(String job, String text) throws Exception {
    await("'" + text + "' in the log of " + job, job, () -> log(job).contains(text));
  }

  /** Waits for a status of a job's last attempt; fails at once when it has ended with another. */
  void awaitStatus(String job, String expected) throws Exception {
    await(
        job + " to be " + expected,
        job,
        () -> {
          String status = status(job);
          if (FINAL.contains(status)) {
            assertEquals(log(job), expected, status);
          }
          return status.equals(expected);
        });
  }

  /** Waits for the attempt of a job, counted from 0. */
  void awaitAttempt(String job, int attempt) throws Exception {
    await(
        "attempt " + attempt + " of " + job,
        job,
        () -> node(job).path("attempt").asInt() >= attempt);
  }

  private void await(String what, String job, Callable<Boolean> look) throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      boolean last = hasEnded() || System.nanoTime() > deadline;
      if (look.call()) {
        return;
      }
      if (last) {
        throw new AssertionError(
            "waited in vain for " + what + "; the flow is " + status() + ". The log:\n" + log(job));
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  boolean hasEnded() throws IOException, InterruptedException {
    return FINAL.contains(status());
  }

  /** Waits until the flow has ended, with all its logs in the database; returns its status. */
  String awaitEnd() throws IOException, InterruptedException {
    return awaitEnd(LIMIT);
  }

  String awaitEnd(Duration limit) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!hasEnded()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("the flow has not ended: " + azkaban.api().execution(id));
      }
      Thread.sleep(LOOK_MILLIS);
    }
    return status();
  }

  // ---- What is asserted ----

  /** Waits for the end, which is this one; a failure shows the logs of all jobs. */
  void assertEnds(String expected) throws IOException, InterruptedException {
    String status = awaitEnd();
    StringBuilder logs = new StringBuilder();
    if (!status.equals(expected)) {
      logs.append(flowLog());
      for (JsonNode node : azkaban.api().execution(id).path("nodes")) {
        String job = node.path("id").asText();
        logs.append("\n---- ").append(job).append(' ').append(node.path("status").asText());
        logs.append('\n').append(log(job));
      }
    }
    assertEquals(logs.toString(), expected, status);
  }

  void assertLogged(String job, String text) throws IOException, InterruptedException {
    String log = log(job);
    assertTrue("'" + text + "' is missing in:\n" + log, log.contains(text));
  }

  /** The whole sentence stands in the job's log, and once only. */
  void assertLoggedOnce(String job, String text) throws IOException, InterruptedException {
    String log = log(job);
    assertEquals(
        "'" + text + "' in:\n" + log,
        1,
        Pattern.compile(text, Pattern.LITERAL).matcher(log).results().count());
  }
}
