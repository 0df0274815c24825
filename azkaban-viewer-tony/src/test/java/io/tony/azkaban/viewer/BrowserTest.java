package io.tony.azkaban.viewer;

import io.tony.azkaban.viewer.StandInExecutor.Attempt;
import io.tony.testing.Chromium;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.After;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.rules.TemporaryFolder;

/**
 * The page in a real browser: the packed plugin, loaded by Azkaban 2.5.0 and mapped under a context
 * path, with a stand-in for Azkaban's {@code /executor}.
 */
public abstract class BrowserTest {

  static final String APPLICATION = "application_1795279724695_0001";
  static final long START = 1_795_276_800_000L;
  static final String END = "document.body.ariaBusy === 'false'";

  @ClassRule public static final Chromium browser = new Chromium();

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  StandInExecutor azkaban;
  ViewerHost host;
  URI root;

  @Before
  public void start() throws Exception {
    start(new StandInExecutor(true));
  }

  final void start(StandInExecutor executor) throws Exception {
    azkaban = executor;
    browser.complaints();
    host = new ViewerHost("/azkaban", viewers());
    host.serve("/executor", azkaban);
    root = host.start();
  }

  /** What Azkaban loads. */
  Path viewers() throws Exception {
    return Path.of(System.getProperty("tony.viewers"));
  }

  @After
  public void stop() throws Exception {
    browser.open("about:blank");
    host.stop();
  }

  // ---- What the tests read ----

  final void open() throws Exception {
    browser.open(root + "/tony?" + StandInExecutor.PARAMETERS);
  }

  static String shows(String selector, String text) {
    return "document.querySelector(`" + selector + "`)?.textContent.trim() === `" + text + "`";
  }

  static String counts() throws Exception {
    return browser.text("#task-counts");
  }

  static String choice() throws Exception {
    return browser.text("#attempt option:checked");
  }

  /** For each row of the table, what JavaScript makes of the list of its cells. */
  static List<String> rows(String ofCells) throws Exception {
    return strings(
        "[...document.querySelectorAll('tbody tr')].map((row) => [...row.cells]" + ofCells + ")");
  }

  static List<String> texts(String selector) throws Exception {
    return strings(
        "[...document.querySelectorAll('" + selector + "')].map((one) => one.innerText.trim())");
  }

  static List<String> strings(String expression) throws Exception {
    List<String> values = new ArrayList<>();
    browser.evaluate(expression).forEach(value -> values.add(value.asText()));
    return values;
  }

  static String link(String selector) throws Exception {
    return browser.evaluate("document.querySelector('" + selector + "').href").asText();
  }

  // ---- What they are about ----

  final JobLogFile submitted() throws Exception {
    return new JobLogFile(folder.newFile().toPath())
        .line("Starting job train at " + START)
        .event(
            "JOB_SUBMITTED",
            null,
            "application",
            APPLICATION,
            "queue",
            "default",
            "trackingUrl",
            "http://rm:8088/proxy/" + APPLICATION + "/");
  }

  /** The log of a job that ran in {@code bin/quickstart}. */
  final JobLogFile resource(String name) throws Exception {
    JobLogFile log = new JobLogFile(folder.newFile().toPath());
    try (InputStream in = ViewerPageIT.class.getResourceAsStream(name)) {
      log.append(in.readAllBytes());
    }
    return log;
  }

  static Attempt running(JobLogFile log) {
    return new Attempt(log.file(), "RUNNING", START, -1);
  }

  static Attempt ended(JobLogFile log, String status) {
    return new Attempt(log.file(), status, START, START + 60_000);
  }
}
