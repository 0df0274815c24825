package io.tony.azkaban.viewer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import org.junit.Test;

/**
 * A job of 10,000 tasks: the page can be used while it reads what happened. The limits are
 * generous, for machines that have other work; benchmarks/README.md has what was measured.
 */
public final class ManyTasksIT extends BrowserTest {

  /** Tasks of the browser that take longer than 50 ms, and when the first row is there. */
  private static final String WATCH =
      "(() => { window.longTasks = []; window.firstRow = null;"
          + " new PerformanceObserver((list) => list.getEntries().forEach((one) =>"
          + " longTasks.push(one.duration))).observe({ type: 'longtask' });"
          + " new MutationObserver(() => { firstRow ??= performance.now(); })"
          + ".observe(document.getElementById('task-rows'), { childList: true }); })()";

  /** When the first answer that has much to tell began to arrive. */
  private static final String ANSWERED =
      "performance.getEntriesByType('resource').find(({ name, decodedBodySize }) =>"
          + " /fetchExecJobLogs|events/.test(name) && decodedBodySize > 100000).responseStart";

  @Test
  public void shouldStayUsableWhileItReadsALogInAzkaban() throws Exception {
    JobLogFile log = submitted();
    List<String> events = ManyTasks.events(log);
    azkaban.add(running(log));
    open();
    browser.await(shows("#application", APPLICATION));
    browser.evaluate(WATCH);

    // As the client writes them: several in a line.
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < events.size(); i += 50) {
      List<String> some = events.subList(i, Math.min(i + 50, events.size()));
      lines.append("21-11-2026 16:00:00 UTC train INFO - tony-events [");
      lines.append(String.join(",", some)).append("]\n");
    }
    log.append(lines.toString());

    assertUsable("log in Azkaban");
  }

  @Test
  public void shouldStayUsableWhileItReadsWhatAnApplicationMasterTells() throws Exception {
    host.stop();
    StandInMaster master = new StandInMaster();
    host = new ViewerHost("/azkaban", Path.of(System.getProperty("tony.viewers")));
    host.serve("/tony/job", master);
    host.serve("/tony/events", master);
    root = host.start();
    browser.open(root + "/tony/");
    browser.await(shows("#application", APPLICATION));
    browser.evaluate(WATCH);

    master.tell(ManyTasks.events(submitted()));

    assertUsable("ApplicationMaster");
  }

  private static void assertUsable(String source) throws Exception {
    browser.await("document.querySelectorAll('#task-rows tr').length === 100");
    browser.await(shows("#phase", "stop requested by ada"));

    assertEquals("9,999 running, 1 failed", counts());
    assertEquals("what needs a look comes first", "ps:7", rows("[0].innerText").get(0));
    browser.type("#task-text", "worker:777");
    browser.await(shows("#task-position", "11 tasks of 10,000"));
    JsonNode longTasks = browser.evaluate("longTasks");
    double longest = 0;
    for (JsonNode one : longTasks) {
      longest = Math.max(longest, one.asDouble());
    }
    double first = browser.evaluate("firstRow - " + ANSWERED).asDouble();
    System.out.printf(
        "%s: first rows after %.0f ms; %d long tasks, the longest %.0f ms%n",
        source, first, longTasks.size(), longest);
    assertTrue("first rows after " + first + " ms", first < 10_000);
    assertTrue("a task of " + longest + " ms", longest < 1_000);
    assertEquals(List.of(), browser.complaints());
  }
}
