package io.tony.timeline.draw;

import io.tony.text.Strings;
import io.tony.timeline.GoodputLine;
import io.tony.timeline.Mark;
import io.tony.timeline.PreciseDuration;
import io.tony.timeline.Span;
import io.tony.timeline.Spread;
import io.tony.timeline.Stage;
import io.tony.timeline.TaskAttempt;
import io.tony.timeline.TaskAttempt.End;
import io.tony.timeline.TaskAttempt.Step;
import io.tony.timeline.TaskAttempt.StepSpan;
import io.tony.timeline.Timeline;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Draws a timeline as a self-contained SVG file without scripts or external resources. The stages
 * of the job are at the top. Below them, each task has a bar; a role with many tasks has an area
 * that shows the number of tasks in each step.
 */
public final class TimelineSvg {
  private static final int WIDTH = 1200;
  private static final int MARGIN = 28;
  private static final int LEFT = 236;
  private static final int RIGHT = WIDTH - 40;
  private static final int LANE_HEIGHT = 18;
  private static final int AREA_HEIGHT = 150;
  private static final int MAX_SLOWEST = 5;
  private static final int MAX_MARKS = 20;
  private static final int MAX_NOTES = 10;

  private final Svg svg = new Svg();
  private final Svg grid = new Svg();
  private final Timeline timeline;
  private final Heading heading;
  private final Axis axis;
  private double y;

  private TimelineSvg(Timeline timeline, Heading heading) {
    this.timeline = timeline;
    this.heading = heading;
    this.axis = new Axis(timeline.begin(), timeline.end(), LEFT, RIGHT);
  }

  public static String of(Timeline timeline, Heading heading) {
    return new TimelineSvg(timeline, heading).draw();
  }

  private String draw() {
    y = MARGIN + 16;
    svg.bold(MARGIN, y, 21, Palette.INK, truncated(heading.title(), 80));
    y += 22;
    String origin = heading.origin();
    String outcome = Heading.outcome(timeline);
    svg.text(
        MARGIN,
        y,
        13,
        Palette.FAINT,
        "start",
        outcome + (origin.isEmpty() ? "" : "  ·  " + truncated(origin, 100)));
    y += 20;
    svg.text(MARGIN, y, 13, Palette.INK, "start", GoodputLine.of(timeline.goodput()));
    y += 26;
    drawStages();
    double top = y;
    drawPhases();
    Set<End> ends = EnumSet.noneOf(End.class);
    for (Role role : Role.of(timeline)) {
      drawRole(role, ends);
    }
    drawGrid(top);
    y += 34;
    drawLegend(ends);
    drawNotes();
    int height = (int) Math.ceil(y + MARGIN - 8);
    return grid.document(
        WIDTH, height, "Timeline of " + heading.title(), outcome + " " + origin, svg);
  }

  // ---- Job ----

  /** Draws the legend of the stages, with their total durations. */
  private void drawStages() {
    int columns = 3;
    double width = (WIDTH - 2.0 * MARGIN) / columns;
    int i = 0;
    for (Map.Entry<Stage, Duration> sum : timeline.byStage().entrySet()) {
      double x = MARGIN + i % columns * width;
      svg.rect(x, y - 10, 12, 12, Palette.of(sum.getKey()), "");
      svg.text(x + 20, y, 13, Palette.INK, "start", sum.getKey().label());
      svg.text(x + width - 96, y, 13, Palette.INK, "end", PreciseDuration.format(sum.getValue()));
      svg.text(x + width - 40, y, 13, Palette.FAINT, "end", share(sum.getValue()));
      i++;
      y += i % columns == 0 ? 21 : 0;
    }
    y += i % columns == 0 ? 14 : 35;
  }

  private String share(Duration duration) {
    double all = Math.max(1, timeline.duration().toMillis());
    return String.format(Locale.ROOT, "%.1f %%", 100 * duration.toMillis() / all);
  }

  private void drawPhases() {
    y += 22; // space for the labels of the axis
    y += timeline.marks().isEmpty() ? 0 : 18;
    svg.text(MARGIN, y + 18, 13, Palette.INK, "start", "the job");
    for (Span span : timeline.phases()) {
      double x = axis.x(span.from());
      double width = Math.max(0.6, axis.x(span.to()) - x);
      String label = span.stage().label();
      String took = label + ": " + PreciseDuration.format(span.duration());
      svg.rect(x, y, width, 28, Palette.of(span.stage()), took);
      if (width > 7.0 * label.length()) {
        svg.text(x + width / 2, y + 18, 12, Palette.INK, "middle", label);
      }
    }
    y += 28 + 12;
  }

  // ---- Tasks ----

  private void drawRole(Role role, Set<End> ends) {
    y += 18;
    svg.bold(MARGIN, y, 13, Palette.INK, truncated(role.title(), 60));
    y += 10;
    if (Role.isSummarized(role.taskCount(), role.attempts().size())) {
      drawArea(role, ends);
    } else {
      drawBars(role.attempts(), ends);
    }
  }

  private void drawArea(Role role, Set<End> ends) {
    int tasks = role.taskCount();
    svg.rect(LEFT, y, RIGHT - (double) LEFT, AREA_HEIGHT, Palette.LANE, "");
    new RoleArea(axis, role.attempts(), timeline.end()).draw(svg, y, AREA_HEIGHT, tasks);
    svg.text(LEFT - 8, y + 10, 11, Palette.FAINT, "end", String.format(Locale.ROOT, "%,d", tasks));
    svg.text(LEFT - 8, y + AREA_HEIGHT, 11, Palette.FAINT, "end", "0");
    y += AREA_HEIGHT + 8;
    drawSlowest(role, Step.LAUNCHING, "executors that took longest to start", ends);
    drawSlowest(role, Step.RUNNING, "programs that ran longest", ends);
  }

  private void drawSlowest(Role role, Step step, String caption, Set<End> ends) {
    Spread spread = Spread.of(role.attempts(), step, timeline.end(), MAX_SLOWEST);
    if (spread != null) {
      y += 16;
      String all =
          caption
              + " (median "
              + PreciseDuration.format(spread.median())
              + ", 95 % "
              + PreciseDuration.format(spread.p95())
              + ", longest "
              + PreciseDuration.format(spread.max())
              + ")";
      svg.text(LEFT, y, 12, Palette.FAINT, "start", all);
      y += 8;
      spread.slowest().forEach(attempt -> drawBars(List.of(attempt), ends));
    }
  }

  /**
   * Draws one lane for each task, with a bar for each of the attempts of the task. Adds to {@code
   * ends} in which ways the attempts ended, for the legend.
   */
  private void drawBars(List<TaskAttempt> attempts, Set<End> ends) {
    TaskAttempt before = null;
    for (TaskAttempt attempt : attempts) {
      if (before == null || !before.task().equals(attempt.task())) {
        y += before == null ? 0 : LANE_HEIGHT;
        svg.rect(LEFT, y, RIGHT - (double) LEFT, LANE_HEIGHT - 4.0, Palette.LANE, "");
        svg.text(
            MARGIN, y + 11, 12, Palette.INK, "start", truncated(attempt.task().toString(), 14));
        svg.text(LEFT - 8, y + 11, 11, Palette.FAINT, "end", truncated(attempt.node(), 16));
      }
      drawBar(attempt, ends);
      before = attempt;
    }
    y += LANE_HEIGHT;
  }

  private void drawBar(TaskAttempt attempt, Set<End> ends) {
    for (StepSpan part : attempt.stepSpans(timeline.end())) {
      double x = axis.x(part.from());
      double width = Math.max(0.6, axis.x(part.to()) - x);
      String title =
          attempt.task()
              + (attempt.node().isEmpty() ? "" : " on " + attempt.node())
              + ": "
              + part.step().label()
              + ", "
              + PreciseDuration.format(part.duration());
      svg.rect(x, y, width, LANE_HEIGHT - 4.0, Palette.of(part.step()), title);
    }
    if (attempt.end() != null) {
      ends.add(attempt.end());
      double x = axis.x(Objects.requireNonNull(attempt.ended()));
      // The next attempt of the same task may begin directly after the sign, so the sign is drawn
      // inside this bar.
      boolean inside = attempt.end() == End.RESTARTED || attempt.end() == End.FAILED;
      EndSign.draw(svg, attempt.end(), inside ? x - 5 : x + 7, y + LANE_HEIGHT / 2.0 - 2);
    }
  }

  // ---- Grid, legend and notes ----

  /** Draws the labels of the time axis and the marks, as vertical lines in the background. */
  private void drawGrid(double top) {
    double bottom = y + 6;
    for (Axis.Tick tick : axis.ticks()) {
      grid.line(tick.x(), top + 10, tick.x(), bottom, Palette.GRID, "");
      grid.text(tick.x(), top + 4, 11, Palette.FAINT, "middle", tick.label());
      grid.text(tick.x(), bottom + 14, 11, Palette.FAINT, "middle", tick.label());
    }
    List<Mark> marks = timeline.marks();
    for (int i = 0; i < Math.min(marks.size(), MAX_MARKS); i++) {
      Mark mark = marks.get(i);
      double x = axis.x(mark.at());
      grid.line(x, top + 24, x, bottom, color(mark), "3 3");
      svg.circle(x, top + 24, 8, color(mark), mark.text());
      svg.text(x, top + 28, 11, "#ffffff", "middle", String.valueOf(i + 1));
    }
  }

  private static String color(Mark mark) {
    return switch (mark.kind()) {
      case MASTER -> "#5b6f95";
      case GANG_RESTART -> Palette.ALARM;
      case TASK_RESTART -> "#c08a3e";
      case RESIZE -> "#6b5b95";
      case RESUME -> "#3f7d58";
      case STOP -> Palette.INK;
    };
  }

  private void drawLegend(Set<End> ends) {
    if (timeline.attempts().isEmpty()) {
      return;
    }
    y += 12;
    double x = MARGIN;
    svg.text(x, y, 12, Palette.FAINT, "start", "a task:");
    x += 54;
    for (Step step : Step.values()) {
      svg.rect(x, y - 9, 11, 11, Palette.of(step), "");
      svg.text(x + 17, y, 12, Palette.INK, "start", step.label());
      x += 40 + 6.4 * step.label().length();
    }
    for (End end : ends) {
      EndSign.draw(svg, end, x + 5, y - 4);
      svg.text(x + 17, y, 12, Palette.INK, "start", EndSign.label(end));
      x += 40 + 6.4 * EndSign.label(end).length();
    }
    y += 12;
  }

  private void drawNotes() {
    List<Mark> marks = timeline.marks();
    int shown = Math.min(marks.size(), MAX_MARKS);
    for (int i = 0; i < shown; i++) {
      Mark mark = marks.get(i);
      y += 20;
      svg.circle(MARGIN + 8.0, y - 4, 8, color(mark), "");
      svg.text(MARGIN + 8.0, y, 11, "#ffffff", "middle", String.valueOf(i + 1));
      String at = "+" + PreciseDuration.format(Duration.between(timeline.begin(), mark.at()));
      svg.text(MARGIN + 24.0, y, 12, Palette.FAINT, "start", at);
      svg.text(MARGIN + 90.0, y, 12, Palette.INK, "start", truncated(mark.text(), 160));
    }
    if (marks.size() > shown) {
      drawNote("and " + (marks.size() - shown) + " more such events");
    }
    int missing = timeline.tasks() - timeline.allocatedTaskCount();
    if (missing > 0) {
      drawNote(missing + " of " + timeline.tasks() + " tasks never had a container until then");
    }
    timeline.remarks().stream().limit(MAX_NOTES).forEach(this::drawNote);
  }

  private void drawNote(String text) {
    y += 19;
    svg.text(MARGIN, y, 12, Palette.FAINT, "start", truncated(text, 170));
  }

  private static String truncated(String text, int maxChars) {
    return text.length() <= maxChars ? text : Strings.truncate(text, maxChars - 1) + "…";
  }
}
