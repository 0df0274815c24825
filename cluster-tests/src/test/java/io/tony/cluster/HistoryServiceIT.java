package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.event.UsageFact;
import io.tony.eventlog.EventJson;
import io.tony.model.JobResult;
import io.tony.testing.Chromium;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.After;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Test;

/** The history as a service beside a cluster, in a real browser. */
public class HistoryServiceIT extends ClusterTest {
  private static final String USER = System.getProperty("user.name");
  private static final Pattern ADDRESS = Pattern.compile("is served at (http://\\S+/)");

  @ClassRule public static final Chromium browser = new Chromium();

  private TonyCommand service;
  private String address;

  @Before
  public void startService() throws Exception {
    service = tony("history", "-listen", "localhost:0", "-refresh", "1s");
    Matcher line = ADDRESS.matcher(service.await("is served at"));
    assertTrue(line.find());
    address = line.group(1);
  }

  @After
  public void stopService() throws Exception {
    browser.open("about:blank"); // a page that is left open would ask on
    service.close();
  }

  private TonyCommand submitNamed(String name, String program) throws Exception {
    return submit(
        "-executes",
        program,
        "-conf",
        "tony.application.name=" + name,
        "-conf",
        "tony.history.url=" + address,
        "-conf",
        "tony.worker.instances=1");
  }

  private static String shows(String selector, String text) {
    return "document.querySelector(`" + selector + "`)?.textContent.trim() === `" + text + "`";
  }

  private static String whyHas(String text) {
    return "document.getElementById('written-why').textContent.includes('" + text + "')";
  }

  private static String row(String application) {
    return "a[href=\"jobs/" + application + "@" + USER + "/\"]";
  }

  /** A list is loaded once; who looks at it loads it again. */
  private void awaitInList(String query, String application, String status) throws Exception {
    String there =
        "[...document.querySelectorAll('#jobs tr')].some(row => row.textContent.includes('"
            + status
            + "') && row.querySelector('"
            + row(application)
            + "'))";
    do {
      browser.open(address + query);
      browser.await("document.body.ariaBusy === 'false'");
    } while (!browser.evaluate(there).asBoolean());
  }

  @Test
  public void shouldListJobsAndShowWhatBecameOfThem() throws Exception {
    String good;
    String bad;
    try (TonyCommand tony = submitNamed("good one", "echo loss=0.5 > $TONY_OUTPUT_FILE")) {
      tony.assertExit(0);
      good = tony.application();
    }
    try (TonyCommand tony = submitNamed("bad <b>\"&amp;", "echo 'the <i>reason</i>' >&2; exit 3")) {
      tony.assertExit(1);
      bad = tony.application();
    }
    awaitInList("", bad, "FAILED (PROGRAM)");
    awaitInList("", good, "SUCCEEDED");
    assertEquals("bad <b>\"&amp;", browser.text(row(bad)));

    browser.open(address + "?status=FAILED&text=bad+%3Cb%3E");
    browser.await(shows("#position", "1 to 1 of 1 job"));
    assertEquals("FAILED", browser.evaluate("document.forms.filters.status.value").asText());
    browser.click(row(bad));
    browser.await(shows("#state", "FAILED"));
    browser.await("document.body.ariaBusy === 'false'");
    assertEquals("bad <b>\"&amp;", browser.text("h1"));
    assertTrue(
        browser.text("#failure-message"),
        browser.text("#failure-message").startsWith("worker:0 exited with code 3"));
    assertEquals("the <i>reason</i>", browser.text("#stderr-text"));
    assertFalse(browser.isShown("#trouble"));
    browser.click("#failure-open");
    browser.await(whyHas("yarn.log-aggregation-enable"));
    assertEquals("where it is for a while", "On its node", browser.text("#written-node a"));

    String link = report(bad).getOriginalTrackingUrl();
    assertEquals("where YARN's link leads", address + "jobs/" + bad + "@" + USER + "/", link);
    browser.open(link);
    browser.await(shows("#state", "FAILED"));
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  public void shouldFollowAJobThatRunsToItsEnd() throws Exception {
    String end = folder.getRoot() + "/end";
    try (TonyCommand tony =
        submitNamed(
            "long", "echo 'step 1/2'; until [ -e '" + end + "' ]; do sleep 0.1; done; exit 0")) {
      tony.await("1/1 tasks running");
      String application = tony.application();
      awaitInList("?status=RUNNING", application, "RUNNING");
      browser.click(row(application));
      browser.await(shows("#task-counts", "1 running"));
      assertEquals("RUNNING", browser.text("#state"));
      browser.click("#task-rows button");
      browser.await(whyHas("YARN\\'s link"));

      write("end", "");
      tony.assertExit(0);
      browser.await(shows("#state", "SUCCEEDED"));
      browser.await("document.body.ariaBusy === 'false'");
      assertEquals(List.of(), browser.complaints());
    }
  }

  /** A log as an ApplicationMaster leaves it: of the step of a night that took so many seconds. */
  private static void writeNight(FileSystem fs, Path history, int night, int seconds)
      throws IOException {
    Instant begin = Instant.now().minus(Duration.ofDays(10L - night));
    JobDescription.AzkabanStep step =
        new JobDescription.AzkabanStep("digits", "nightly", "train", "" + night, 0);
    Map<Integer, Fact> facts = new TreeMap<>();
    facts.put(
        1, new JobFact.MasterStarted(1, "node-1", 1, null, new JobFact.LaunchTimes(begin, null)));
    facts.put(
        2,
        new JobFact.Described(
            new JobDescription("ada", "default", "train", "pytorch", step, Map.of(), "")));
    facts.put(3, new GangFact.Running());
    facts.put(seconds - 1, new UsageFact.Goodput(0, 0, seconds - 10, Map.of(), 10, 0, true));
    facts.put(seconds, new JobFact.Finished(JobResult.succeeded("1 of 1 tasks succeeded")));
    StringBuilder lines = new StringBuilder();
    facts.forEach(
        (at, fact) ->
            lines.append(EventJson.write(fact.toEvent(begin.plusSeconds(at), 0))).append('\n'));
    try (OutputStream out = fs.create(new Path(history, id(night) + "/events.jsonl"))) {
      out.write(lines.toString().getBytes(StandardCharsets.UTF_8));
    }
  }

  @Test
  public void shouldCompareTheRunsOfAStep() throws Exception {
    try (FileSystem fs = cluster().fileSystem()) {
      Path history = new Path(fs.getHomeDirectory(), ".tony/history");
      for (int night = 1; night <= 6; night++) {
        writeNight(fs, history, night, night == 4 ? 500 : 100 + night);
      }
      awaitInList("?project=digits&flow=nightly&job=train", id(6), "SUCCEEDED");
      browser.click("#compare");
      browser.await("document.querySelectorAll('#runs tr').length === 6");
      assertEquals("Runs of digits › nightly › train", browser.text("#step"));
      assertEquals("6 runs; 1 out of line.", browser.text("#summary"));
      assertEquals("8 min 20 s ▲ high", browser.text("#runs tr:nth-child(3) td:nth-child(4)"));
      assertEquals("1 min 46 s", browser.text("#runs tr:nth-child(1) td:nth-child(4)"));
      assertEquals(1, browser.evaluate("document.querySelectorAll('.run.out').length").asInt());
      assertTrue(
          "each line of the plot has its time before it, in whole minutes",
          browser
              .evaluate(
                  "[...document.querySelectorAll('#plot text.tick')].every((one) =>"
                      + " one.getBBox().x >= 0 && /^\\d+ (s|min 00 s)$/.test(one.textContent))")
              .asBoolean());
      assertTrue(
          browser.text("#goodput"),
          browser.text("#goodput").contains(" trained and was kept: 6 jobs."));

      browser.evaluate(
          "(plot => { plot.value = 'queue wait'; plot.dispatchEvent(new Event('change')); })"
              + "(document.forms.filters.plot)");
      assertEquals("queue wait of each run", browser.text("#plot figcaption"));
      assertTrue(browser.evaluate("location.search").asText().contains("plot=queue+wait"));

      browser.click("#runs tr:nth-child(3) a");
      browser.await(shows("#application", id(4)));
      assertEquals(List.of(), browser.complaints());
      for (int night = 1; night <= 6; night++) {
        fs.delete(new Path(history, id(night)), true);
      }
    }
  }

  private static String id(int night) {
    return "application_1700000000000_000" + night;
  }
}
