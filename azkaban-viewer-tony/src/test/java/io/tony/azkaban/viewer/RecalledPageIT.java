package io.tony.azkaban.viewer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import io.tony.azkaban.viewer.StandInExecutor.Attempt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Test;

/** What the page shows of a job whose log Azkaban has lost. */
public final class RecalledPageIT extends BrowserTest {
  private static final String ORIGIN = "!document.getElementById('origin').hidden";
  private static final String TROUBLE = "!document.getElementById('trouble').hidden";

  private final StandInHistory history = new StandInHistory();

  public RecalledPageIT() throws IOException {
    // The history is there before Azkaban.
  }

  /** The packed plugin, with the history's address. */
  @Override
  Path viewers() throws Exception {
    Path packed = super.viewers();
    Path own = folder.newFolder().toPath();
    try (Stream<Path> all = Files.walk(packed)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        Path copy = own.resolve(packed.relativize(file).toString());
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
      }
    }
    Files.writeString(
        own.resolve("tony/conf/plugin.properties"),
        "\ntony.history.url=" + history.address() + "\n",
        StandardOpenOption.APPEND);
    return own;
  }

  @After
  public void close() {
    history.close();
  }

  /** A job of two workers, of which the first has ended; with its end, or without it. */
  private List<String> events(boolean ended) throws Exception {
    JobLogFile log = new JobLogFile(folder.newFile().toPath());
    Stream<String> begin =
        Stream.of(
            log.json("AM_STARTED", null, "attempt", "1", "host", "n", "tasks", "2"),
            log.json("TASK_STARTED", "worker:0", "pid", "1"),
            log.json("TASK_STARTED", "worker:1", "pid", "1"),
            log.json("TASK_SUCCEEDED", "worker:0", "exitCode", "0"));
    String end =
        log.json("JOB_FINISHED", null, "status", "FAILED", "message", "worker:1 <b>broke</b>");
    return Stream.concat(begin, ended ? Stream.of(end) : Stream.of()).toList();
  }

  private JobLogFile empty() throws Exception {
    return new JobLogFile(folder.newFile().toPath());
  }

  private void login(String user) {
    azkaban.session = host.login(user);
  }

  @Test
  public void shouldShowWhatTheHistoryHasOfAJobWhoseLogIsGone() throws Exception {
    history.add(APPLICATION);
    history.tell(events(true), true);
    azkaban.add(ended(empty(), "FAILED"));
    login("ada");

    open();
    browser.await(END);

    assertEquals(APPLICATION, browser.text("#application"));
    assertEquals("research", browser.text("#queue"));
    assertEquals("1 running, 1 succeeded", counts());
    assertEquals("worker:1 <b>broke</b>", browser.text("#failure-message"));
    assertEquals("FAILED", browser.text("#state"));
    assertFalse(browser.isShown("#nothing"));
    assertFalse(browser.isShown("#incomplete"));
    assertFalse(browser.isShown("#trouble"));
    assertEquals(
        "Azkaban’s log of this attempt has no event. What is shown is from the history, where it"
            + " is a job of ada. Open the history",
        browser.text("#origin"));
    assertEquals(history.address() + "/jobs/" + APPLICATION + "@ada/", link("#origin a"));
    assertEquals("status", browser.evaluate("document.getElementById('origin').role").asText());
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  public void shouldFollowAJobThatRunsWithoutALog() throws Exception {
    history.add(APPLICATION);
    azkaban.add(running(empty()));
    login("ada");
    history.tell(events(false), false);

    open();
    browser.await(shows("#task-counts", "1 running, 1 succeeded"));
    assertTrue(browser.text("#origin"), browser.text("#origin").contains("had not ended"));

    history.tell(events(true), false); // its list of jobs is behind
    azkaban.become("FAILED", START + 5_000);
    browser.await(END);
    assertEquals("worker:1 <b>broke</b>", browser.text("#failure-message"));
    assertFalse(browser.text("#origin"), browser.text("#origin").contains("had not ended"));
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  public void shouldTellTheRestOfAJobOnceTheHistoryAnswersAgain() throws Exception {
    history.add(APPLICATION);
    azkaban.add(running(empty()));
    login("ada");
    history.tell(events(false), false);
    open();
    browser.await(shows("#task-counts", "1 running, 1 succeeded"));

    history.trouble = HttpExchange::close;
    history.tell(events(true), true);
    azkaban.become("FAILED", START + 5_000);
    browser.await(TROUBLE);
    browser.await(shows("#state", "FAILED"));
    String trouble = browser.text("#trouble");
    assertTrue(trouble, trouble.startsWith("The history does not answer now ("));
    assertTrue(trouble, trouble.contains(" at " + history.address() + "/?flow=flow&job="));
    assertTrue(trouble, trouble.endsWith("The page tries again."));

    history.trouble = null;
    browser.await(END);
    assertEquals("worker:1 <b>broke</b>", browser.text("#failure-message"));
    assertFalse(browser.isShown("#trouble"));
  }

  @Test
  public void shouldAskTheHistoryWhereAzkabanDoesNotGiveTheLog() throws Exception {
    history.add(APPLICATION);
    history.tell(events(true), true);
    Path none = folder.getRoot().toPath().resolve("none");
    azkaban.add(new Attempt(none, "FAILED", START, START + 60_000));
    login("ada");

    open();
    browser.await(END);

    assertEquals(APPLICATION, browser.text("#application"));
    assertTrue(
        browser.text("#origin"),
        browser.text("#origin").startsWith("Azkaban does not give the log of this attempt."));
    assertFalse(browser.isShown("#trouble"));
  }

  @Test
  public void shouldSayNothingOfTheHistoryOnceTheLogIsThere() throws Exception {
    Path log = folder.getRoot().toPath().resolve("later");
    azkaban.add(new Attempt(log, "RUNNING", START, -1));
    login("ada");

    open();
    browser.await(ORIGIN);
    assertEquals(
        "Azkaban does not give the log of this attempt. The history has no such job that ada may"
            + " see. Open the history",
        browser.text("#origin"));

    Files.copy(submitted().file(), log);
    browser.await(shows("#application", APPLICATION));
    browser.await("!(" + ORIGIN + ")");
    assertFalse(browser.isShown("#trouble"));
  }

  @Test
  public void shouldAskNobodyElseWhereTheLogTellsEvents() throws Exception {
    history.add(APPLICATION);
    azkaban.add(ended(submitted(), "SUCCEEDED"));
    login("ada");

    open();
    browser.await(END);

    assertFalse(browser.isShown("#origin"));
    assertEquals(List.of(), history.requests);
  }

  @Test
  public void shouldAskNobodyElseOfAJobThatWasNotSubmitted() throws Exception {
    JobLogFile log = empty().line("The job was not submitted; nothing was left behind:");
    azkaban.add(ended(log.line("  - executes is not set"), "FAILED"));
    azkaban.add(new Attempt(folder.getRoot().toPath().resolve("none"), "CANCELLED", START, START));
    login("ada");

    for (int attempt = 0; attempt < 2; attempt++) {
      browser.open(root + "/tony?" + StandInExecutor.PARAMETERS + "&attempt=" + attempt);
      browser.await(END);
      assertEquals(attempt == 0, browser.isShown("#reasons"));
      assertFalse(browser.isShown("#origin"));
    }
    assertEquals(List.of(), history.requests);
  }

  /** As with Kerberos: the reader's own browser may have a ticket. */
  @Test
  public void shouldSayWhereTheHistoryIsWhenItWantsALogin() throws Exception {
    history.trouble = exchange -> StandInHistory.answer(exchange, 401, "");
    azkaban.add(ended(empty(), "FAILED"));
    login("ada");

    open();
    browser.await(END);

    browser.await(ORIGIN);
    assertEquals(
        "Azkaban’s log of this attempt has no event. The history wants to know by itself who you"
            + " are. Open the history",
        browser.text("#origin"));
    assertTrue(
        link("#origin a"),
        link("#origin a").startsWith(history.address() + "/?flow=flow&job=nightly%3Atrain"));
    assertTrue(browser.isShown("#nothing"));
    assertEquals(List.of(), browser.complaints());
  }
}
