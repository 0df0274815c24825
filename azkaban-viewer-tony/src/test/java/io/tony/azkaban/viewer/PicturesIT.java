package io.tony.azkaban.viewer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.List;
import org.junit.Test;

/** The figures of the page: goodput, curves, the times of the tasks; and the options below them. */
public final class PicturesIT extends BrowserTest {

  private JobLogFile started(String resources) throws Exception {
    return submitted()
        .event("AM_STARTED", null, "attempt", "1", "host", "n", "tasks", "2")
        .event("GANG_REQUESTED", null, "tasks", "2", "resources", resources);
  }

  private static void begin(JobLogFile log, String... tasks) throws Exception {
    for (String task : tasks) {
      log.event("TASK_ALLOCATED", task, "node", "node-1", "log", "https://node/1");
      log.event("TASK_REGISTERED", task, "endpoint", "node-1:1");
      log.event("TASK_STARTED", task, "pid", "1");
    }
  }

  private void show(JobLogFile log) throws Exception {
    azkaban.add(ended(log, "SUCCEEDED"));
    open();
    browser.await(END);
    assertEquals(List.of(), browser.complaints());
  }

  /** The values of an attribute of all elements that a selector finds. */
  private static List<String> all(String selector, String attribute) throws Exception {
    return strings(
        "[...document.querySelectorAll('"
            + selector
            + "')].map((one) => one.getAttribute('"
            + attribute
            + "'))");
  }

  @Test
  public void shouldShowWhereTheTimeWent() throws Exception {
    show(
        submitted()
            .event(
                "GOODPUT",
                null,
                "queue",
                "120000",
                "starting",
                "0",
                "training",
                "780000",
                "lost.LOST",
                "40000",
                "lost.PROGRAM",
                "50000",
                "stopping",
                "10000",
                "restarts",
                "2",
                "byProgress",
                "false"));

    assertEquals(
        "goodput 78 %: trained 13 min 00 s; queue 2 min 00 s, lost 1 min 30 s (LOST 40 s, PROGRAM 50 s;"
            + " 2 restarts; all since each start, as no progress shows less), stopping 10 s",
        browser.text("#goodput-line"));
    assertEquals(
        List.of(
            "queue 2 min 00 s (12 %)",
            "trained 13 min 00 s (78 %)",
            "lost: LOST 40 s (4 %)",
            "lost: PROGRAM 50 s (5 %)",
            "stopping 10 s (1 %)"),
        texts("#goodput li"));
    assertEquals(
        List.of("12.000%", "78.000%", "4.000%", "5.000%", "1.000%"), all("#goodput rect", "width"));
    assertEquals(
        List.of("0.000%", "12.000%", "90.000%", "94.000%", "99.000%"), all("#goodput rect", "x"));
    assertEquals("what has room is named", List.of("queue", "trained"), names("#goodput .name"));
    assertEquals(List.of(browser.text("#goodput-line")), all("#goodput svg", "aria-label"));
  }

  private static List<String> names(String selector) throws Exception {
    return strings(
        "[...document.querySelectorAll('" + selector + "')].map((one) => one.textContent)");
  }

  @Test
  public void shouldDrawWhatProgressTellsAndWhereItBeganAgain() throws Exception {
    JobLogFile log = started("1 × worker (1 GiB, 1 vcore)");
    begin(log, "worker:0");
    for (int i = 0; i < 20; i++) {
      log.event("TASK_PROGRESS", "worker:0", "text", "step " + i + " loss=0." + (420 - i));
    }
    log.event("TASK_FAILED", "worker:0", "kind", "LOST", "message", "gone");
    log.event("TASK_RESTARTED", "worker:0", "kind", "LOST", "where", "kept");
    begin(log, "worker:0");
    for (int i = 10; i < 30; i++) {
      log.event("TASK_PROGRESS", "worker:0", "text", "step " + i + " loss=0." + (420 - i));
    }

    show(log);

    assertEquals(List.of("loss", "steps/s"), texts("#curves figcaption"));
    assertEquals(
        List.of("worker:0 0.391", "started again 1 time"), texts("#curves figure:first-child li"));
    assertEquals(
        "a line for each run", 2, all("#curves figure:first-child polyline", "points").size());
    assertEquals(List.of("LOST"), names("#curves figure:first-child line.mark title"));
    assertTrue(names("#curves figure:first-child text").contains("LOST"));
    assertEquals(
        "the loss has the whole height",
        List.of("0.39", "0.4", "0.41", "0.42"),
        names("#curves figure:first-child .tick[text-anchor=end]").subList(0, 4));
    assertEquals(
        "loss over time; at last: worker:0 0.391; started again after 28 s (LOST)",
        all("#curves figure:first-child svg", "aria-label").get(0));
    assertFalse("no program is measured", browser.isShown("#usage"));
  }

  @Test
  public void shouldMarkARestartOfTheGangInTheCurvesOfAll() throws Exception {
    assertEquals(
        "[[\"loss\",[\"worker:1\",\"worker:0\"],[\"PROGRAM\",\"LOST\"]]]",
        modules(
            "curves",
            "const curves = new TaskCurves();"
                + " curves.add('worker:1', 0, 'loss=1'); curves.add('worker:0', 0, 'loss=1');"
                + " curves.restarted('worker:1', 5, 'PROGRAM'); curves.restarted('worker:7', 6, 'PROGRAM');"
                + " curves.restarted(null, 9, 'LOST');"
                + " return curves.charts().map(({ name, lines, marks }) =>"
                + " [name, lines.map((line) => line.name), marks.map(({ label }) => label)]);",
            "TaskCurves"));
  }

  @Test
  public void shouldKeepAPlaceForTheChiefAmongTheCurves() throws Exception {
    assertEquals(
        "[8,\"chief:0\"]",
        modules(
            "curves",
            "const curves = new TaskCurves();"
                + " for (let i = 0; i < 50; i++) { curves.add(`worker:${i}`, 0, 'loss=1'); }"
                + " curves.add('chief:0', 0, 'loss=1');"
                + " const [{ lines }] = curves.charts(); return [lines.length, lines.at(-1).name];",
            "TaskCurves"));
  }

  @Test
  public void shouldScaleAnAxisByItsValues() throws Exception {
    assertEquals(
        "[[0.4,0.405,0.41,0.415,0.42],[0,0.25,0.5,0.75,1],[-4,-3,-2,-1],[4.5,4.75,5,5.25,5.5],[0,1]]",
        modules(
            "chart",
            "return [[0.4, 0.42], [0.1, 0.9], [-4, -1], [5, 5], [0, 0]].map(([a, b]) => ticksFor(a, b));",
            "ticksFor"));
    assertEquals(
        "[\"0.4123\",\"12,288\",\"3.1e-5\",\"0\",\"-0.5\",\"1e100\",\"true\"]",
        modules(
            "chart",
            "return [...[0.41234, 12288, 0.000031, 0, -0.5, 1e100].map(exact),"
                + " String(ticksFor(1e99, 1e99 * (1 + 1e-16)).every(Number.isFinite))];",
            "exact, ticksFor"));
  }

  @Test
  public void shouldShortenALabelThatReachesTheNextMark() throws Exception {
    assertEquals(
        "[\"LOST, from step 3000\",\"PROGRAM\"]",
        modules(
            "chart",
            "const lines = [{ name: 'worker:0', points: [[0, 1, 0], [1000000, 2, 0]] }];"
                + " const marks = [{ time: 100000, label: 'LOST, from step 3000' },"
                + " { time: 700000, label: 'PROGRAM, from step 7000' }];"
                + " const figure = chart({ title: '', description: '', unit: '', lines, marks }, 0);"
                + " return [...figure.querySelectorAll('line.mark + text')].map((one) => one.textContent);",
            "chart"));
  }

  @Test
  public void shouldShowTheFirstHourOfADayAsZero() throws Exception {
    assertEquals(
        "\"00:05:07\"",
        modules("text", "return clock(new Date(2026, 10, 24, 0, 5, 7).getTime());", "clock"));
  }

  /** What a script makes of what it takes from a module of the page. */
  private String modules(String module, String script, String names) throws Exception {
    if (root != null && !browser.evaluate("location.href").asText().startsWith(root.toString())) {
      azkaban.add(ended(submitted(), "SUCCEEDED"));
      open();
      browser.await(END);
    }
    return browser
        .evaluatePromise(
            "import('./"
                + module
                + ".js').then(({ "
                + names
                + " }) => {"
                + script
                + "}).then(JSON.stringify)")
        .asText();
  }

  @Test
  public void shouldShowTheLifeOfEachTask() throws Exception {
    JobLogFile log = started("3 × worker (1 GiB, 1 vcore)");
    begin(log, "worker:0", "worker:1");
    log.event("TASK_FAILED", "worker:1", "kind", "LOST", "message", "gone");
    log.event("TASK_RESTARTED", "worker:1", "kind", "LOST", "where", "new");
    log.line("more");
    for (int i = 0; i < 5; i++) {
      log.event("METRICS", null);
    }
    begin(log, "worker:1");
    log.event("TASK_SUCCEEDED", "worker:1", "exitCode", "0");
    log.event("TASK_STOPPED", "worker:0");

    show(log);

    assertEquals(
        "those that failed come first",
        List.of("worker:1", "worker:0", "worker:2"),
        names("#spans .name"));
    assertEquals(
        List.of(
            "worker:1: allocated after 7 s, registered after 8 s, running after 9 s, failed after 10 s,"
                + " allocated (start 2) after 17 s, registered (start 2) after 18 s,"
                + " running (start 2) after 19 s, succeeded (start 2) after 20 s",
            "worker:0: allocated after 4 s, registered after 5 s, running after 6 s, stopped after 21 s",
            "worker:2: requested"),
        names("#spans g title"));
    assertEquals("each state has a bar", 9, all("#spans rect", "class").size());
    assertEquals(List.of("✕", "✓", "■"), names("#spans .end"));
    assertEquals("the second start has its number", List.of("2"), names("#spans .start"));
  }

  @Test
  public void shouldSumUpManyTasksByRole() throws Exception {
    JobLogFile log = started("50 × worker (1 GiB, 1 vcore), 2 × ps (1 GiB, 1 vcore)");
    begin(log, "worker:49", "ps:0");
    log.event("TASK_FAILED", "worker:49", "kind", "LOST", "message", "gone");

    show(log);

    assertEquals(
        List.of("worker: tasks by state", "ps: tasks by state"), texts("#spans figcaption"));
    assertEquals(
        "How many tasks of worker were in which state over time;"
            + " at last: running 0, registered 0, allocated 0, requested 49, failed 1",
        all("#spans svg", "aria-label").get(0));
    List<String> rows = names("#spans .name");
    assertEquals(40, rows.size());
    assertEquals("worker:49", rows.get(0));
    assertEquals("worker:0", rows.get(1));
  }

  @Test
  public void shouldShowWhatIsNoNumberAnyMore() throws Exception {
    JobLogFile log = started("1 × worker (1 GiB, 1 vcore)");
    begin(log, "worker:0");
    for (int i = 0; i < 30; i++) {
      boolean lost = i == 5 || i >= 20;
      String loss = lost ? "nan" : "0." + (900 - i);
      log.event("TASK_PROGRESS", "worker:0", "text", "step " + i + " loss=" + loss + " acc=-inf");
    }

    show(log);

    String when = "\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}";
    String strange = browser.text("#strange");
    assertTrue(
        strange,
        strange.matches(
            "loss of worker:0 was at last nan since %1$s \\(step 20\\);".formatted(when)
                + " acc of worker:0 was at last -inf since %1$s \\(step 0\\)".formatted(when)));
    assertEquals(List.of("loss", "acc", "steps/s"), texts("#curves figcaption"));
    String legend = String.join("; ", texts("#curves figure:first-child li"));
    assertTrue(
        legend, legend.matches("worker:0 nan since %s \\(step 20\\); nan or inf".formatted(when)));
    String chart = "#curves figure:first-child ";
    assertEquals("a gap", 2, all(chart + "polyline", "points").size());
    List<String> marks = all(chart + "rect.strange", "x");
    assertEquals("two marks", 2, marks.size());
    assertTrue(
        "the mark goes on to the end",
        Double.parseDouble(all(chart + "rect.strange", "width").get(1)) > 60);
  }

  @Test
  public void shouldKeepOfALongLifeSomeHundredPoints() throws Exception {
    assertEquals(
        "[true,true,[[\"running\",1]],true,399998]",
        modules(
            "taskstates",
            "const roles = new StateCounts(); const history = new StateHistory(); let state = null;"
                + " for (let i = 0; i < 200000; i++) { const next = i % 2 === 0 ? 'requested' : 'running';"
                + " roles.moved('worker', state, next, i * 2); history.entered(i * 2, next, 1); state = next; }"
                + " const [{ points }] = roles.roles();"
                + " return [points.length > 100, points.length <= 1000, roles.counts(),"
                + " history.steps.length <= 400, history.spans(500000).at(-1).from];",
            "StateCounts, StateHistory"));
  }

  @Test
  public void shouldShowUserFlowAndTheOptionsThatAreLookedFor() throws Exception {
    JobLogFile log = started("1 × worker (1 GiB, 1 vcore)");
    log.event(
        "JOB_DESCRIBED",
        null,
        "user",
        "ada",
        "queue",
        "ml",
        "project",
        "digits",
        "flow",
        "nightly",
        "job",
        "train",
        "execution",
        "412",
        "option.tony.worker.memory",
        "8g",
        "option.tony.shell-env",
        "<b>TOKEN</b>=***",
        "option.tony.application.name",
        "digits",
        "optionsLeftOut",
        "tony.python.long");

    show(log);

    assertEquals("ada", browser.text("#user"));
    assertEquals("ml", browser.text("#queue"));
    assertEquals("digits › nightly › train (execution 412)", browser.text("#flow"));
    assertEquals("3 options", browser.text("#option-count"));
    assertFalse("it is collapsed", browser.isShown("#option-rows"));

    browser.click("#configuration summary");
    assertEquals(
        List.of(
            "tony.application.name digits",
            "tony.shell-env <b>TOKEN</b>=***",
            "tony.worker.memory 8g"),
        options());
    assertEquals(
        "There was no room for these: tony.python.long", browser.text("#options-left-out"));

    browser.type("#option-text", "MEMORY");
    assertEquals(List.of("tony.worker.memory 8g"), options());
    assertEquals("1 of 3 options", browser.text("#option-count"));
  }

  private static List<String> options() throws Exception {
    return strings(
        "[...document.querySelectorAll('#option-rows tr')]"
            + ".map((row) => [...row.cells].map((cell) => cell.textContent).join(' '))");
  }

  @Test
  public void shouldShowNothingOfWhatIsNotTold() throws Exception {
    show(submitted());

    for (String part :
        List.of("#goodput", "#curves", "#times", "#usage", "#configuration", "#user")) {
      assertFalse(part, browser.isShown(part));
    }
  }
}
