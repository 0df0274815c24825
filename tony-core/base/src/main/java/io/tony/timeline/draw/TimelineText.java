package io.tony.timeline.draw;

import io.tony.timeline.GoodputLine;
import io.tony.timeline.Mark;
import io.tony.timeline.PreciseDuration;
import io.tony.timeline.Span;
import io.tony.timeline.Spread;
import io.tony.timeline.Stage;
import io.tony.timeline.TaskAttempt;
import io.tony.timeline.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Formats a timeline as lines for a terminal: the stages of the job, then its tasks. */
public final class TimelineText {
  /**
   * Maximum number of marks that are listed; if there are more spans and marks than this in total,
   * each stage has one row with its total instead of a row for each span.
   */
  private static final int MAX_ROWS = 60;

  private static final int MAX_SLOWEST = 3;
  private static final int BAR_WIDTH = 40;
  private static final String NONE = "-";

  private final Timeline timeline;
  private final List<String> lines = new ArrayList<>();

  private TimelineText(Timeline timeline) {
    this.timeline = timeline;
  }

  /**
   * Returns the lines. Texts of {@code heading} and of users' programs are not escaped; the caller
   * must escape the lines before printing them.
   */
  public static List<String> of(Timeline timeline, Heading heading) {
    TimelineText form = new TimelineText(timeline);
    String origin = heading.origin();
    form.lines.add(heading.title() + (origin.isEmpty() ? "" : " (" + origin + ")"));
    form.lines.add(Heading.outcome(timeline));
    form.lines.add(GoodputLine.of(timeline.goodput()));
    form.lines.add("");
    form.appendPhases();
    form.appendTasks();
    timeline.remarks().forEach(remark -> form.lines.add("note: " + remark));
    return form.lines;
  }

  // ---- Phases ----

  private void appendPhases() {
    Table table = new Table("phase", ">at", ">took", ">share", "");
    boolean detailed = timeline.phases().size() + timeline.marks().size() <= MAX_ROWS;
    if (detailed) {
      addPhaseRows(table);
    } else {
      addStageRows(table);
    }
    table.addRow("in all", "", PreciseDuration.format(timeline.duration()), "100 %", "");
    lines.addAll(table.lines());
    lines.add("");
    if (!detailed) {
      Table marks = new Table(">at", "what");
      timeline.marks().stream()
          .limit(MAX_ROWS)
          .forEach(mark -> marks.addRow(at(mark.at()), mark.text()));
      lines.addAll(marks.lines());
      int more = timeline.marks().size() - MAX_ROWS;
      if (more > 0) {
        lines.add("and " + more + " more such events");
      }
      lines.add("");
    }
  }

  private void addPhaseRows(Table table) {
    List<Mark> marks = new ArrayList<>(timeline.marks());
    for (Span span : timeline.phases()) {
      while (!marks.isEmpty() && !marks.get(0).at().isAfter(span.from())) {
        addMarkLine(table, marks.remove(0));
      }
      table.addRow(
          span.stage().label(),
          at(span.from()),
          PreciseDuration.format(span.duration()),
          share(span.duration()),
          bar(span));
    }
    marks.forEach(mark -> addMarkLine(table, mark));
  }

  private void addMarkLine(Table table, Mark mark) {
    table.addLine("  " + at(mark.at()) + "  " + mark.text());
  }

  private void addStageRows(Table table) {
    for (Map.Entry<Stage, Duration> sum : timeline.byStage().entrySet()) {
      long times = timeline.phases().stream().filter(span -> span.stage() == sum.getKey()).count();
      table.addRow(
          sum.getKey().label(),
          "",
          PreciseDuration.format(sum.getValue()),
          share(sum.getValue()),
          times == 1 ? "" : times + " times");
    }
  }

  private String at(Instant at) {
    return "+" + PreciseDuration.format(Duration.between(timeline.begin(), at));
  }

  private String share(Duration duration) {
    long all = timeline.duration().toMillis();
    return all == 0
        ? NONE
        : String.format(Locale.ROOT, "%.1f %%", 100.0 * duration.toMillis() / all);
  }

  /** Returns a bar of characters that shows the position of {@code span} within the job. */
  private String bar(Span span) {
    int from = column(span.from());
    int to = Math.max(from + 1, column(span.to()));
    return "|" + " ".repeat(from) + "=".repeat(to - from) + " ".repeat(BAR_WIDTH + 1 - to) + "|";
  }

  private int column(Instant at) {
    long all = Math.max(1, timeline.duration().toMillis());
    return (int) (BAR_WIDTH * Duration.between(timeline.begin(), at).toMillis() / all);
  }

  // ---- Tasks ----

  private void appendTasks() {
    int seen = timeline.allocatedTaskCount();
    if (timeline.tasks() > seen) {
      lines.add(
          (timeline.tasks() - seen)
              + " of "
              + timeline.tasks()
              + " tasks never had a container until then");
    }
    if (Role.isSummarized(seen, timeline.attempts().size())) {
      appendRoles();
    } else if (seen > 0) {
      appendAttempts();
    }
  }

  private void appendAttempts() {
    lines.add(
        "each start of a task: the wait for its container, for its executor, for the others,"
            + " and its program");
    List<String> columns = new ArrayList<>(List.of("task", ">start", "node"));
    for (TaskAttempt.Step step : TaskAttempt.Step.values()) {
      columns.add(">" + step.columnName());
    }
    columns.add("end");
    Table table = new Table(columns.toArray(String[]::new));
    for (TaskAttempt attempt : timeline.attempts()) {
      List<String> row = new ArrayList<>();
      row.add(attempt.task().toString());
      row.add(attempt.number() + (attempt.reusesContainer() ? " kept" : ""));
      row.add(attempt.node());
      for (TaskAttempt.Step step : TaskAttempt.Step.values()) {
        row.add(stepDuration(attempt, step));
      }
      row.add(
          attempt.end() == null
              ? "runs on"
              : attempt.end().name().replace('_', ' ')
                  + " "
                  + at(Objects.requireNonNull(attempt.ended())));
      table.addRow(row.toArray(String[]::new));
    }
    lines.addAll(table.lines());
    lines.add("");
  }

  /**
   * Returns the duration of a step for display; up to the end of the timeline if the step is not
   * over.
   */
  private String stepDuration(TaskAttempt attempt, TaskAttempt.Step step) {
    return attempt.stepDuration(step, timeline.end()).map(PreciseDuration::format).orElse(NONE);
  }

  private void appendRoles() {
    for (Role role : Role.of(timeline)) {
      lines.add(role.title());
      Table table = new Table("", ">min", ">median", ">95 %", ">max", "slowest");
      for (TaskAttempt.Step step : TaskAttempt.Step.values()) {
        Spread spread = Spread.of(role.attempts(), step, timeline.end(), MAX_SLOWEST);
        if (spread != null) {
          table.addRow(
              step.label(),
              PreciseDuration.format(spread.min()),
              PreciseDuration.format(spread.median()),
              PreciseDuration.format(spread.p95()),
              PreciseDuration.format(spread.max()),
              slowest(spread));
        }
      }
      lines.addAll(table.lines());
      lines.add("");
    }
  }

  private static String slowest(Spread spread) {
    return String.join(
        ", ",
        spread.slowest().stream()
            .map(attempt -> attempt.task() + " on " + attempt.node())
            .toList());
  }
}
