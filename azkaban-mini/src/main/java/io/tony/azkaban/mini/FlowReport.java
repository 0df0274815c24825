package io.tony.azkaban.mini;

import azkaban.executor.Status;
import io.tony.azkaban.mini.Screen.Tone;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Prints the summary of a flow that has ended: a table of its jobs, the flow's status, and the last
 * log lines of each failed job.
 */
final class FlowReport {

  /**
   * Name of the output property with the address of the job's dashboard, which the {@code tony} job
   * type publishes.
   */
  private static final String TRACKING_URL = "tony.tracking.url";

  private static final List<String> HEAD = List.of("job", "status", "attempts", "duration", "link");
  private static final int STATUS_COLUMN = 1;

  private final Screen screen;
  private final FlowNarrator narrator;

  FlowReport(Screen screen, FlowNarrator narrator) {
    this.screen = screen;
    this.narrator = narrator;
  }

  void print(FlowResult flow) {
    List<List<String>> rows = flow.jobs().stream().map(this::row).toList();
    int[] widths = IntStream.range(0, HEAD.size()).map(column -> width(rows, column)).toArray();
    screen.line("");
    screen.line(screen.tint(Tone.FAINT, join(HEAD, widths, Tone.PLAIN)));
    for (int i = 0; i < rows.size(); i++) {
      screen.line(join(rows.get(i), widths, FlowNarrator.tone(flow.jobs().get(i).status())));
    }
    screen.line("");
    screen.line(
        "Flow "
            + flow.flow()
            + ", execution "
            + flow.executionId()
            + ": "
            + screen.tint(FlowNarrator.tone(flow.status()), flow.status().toString())
            + " in "
            + FlowNarrator.text(flow.duration()));
    flow.jobs().stream().filter(job -> job.status() == Status.FAILED).forEach(this::printFailure);
    screen.line("Logs: " + flow.folder());
  }

  private void printFailure(StepResult job) {
    screen.line("");
    screen.line(
        screen.tint(Tone.BAD, "Job " + job.name() + " failed")
            + (job.attempts().size() > 1
                ? " in each of " + job.attempts().size() + " attempts"
                : "")
            + ". The end of its log:");
    narrator.lastLines(job.name()).forEach(line -> screen.line("    " + line));
    job.lastAttempt().ifPresent(last -> screen.line("Whole log: " + last.logFile()));
  }

  private List<String> row(StepResult job) {
    boolean ran = !job.attempts().isEmpty();
    return List.of(
        job.name(),
        job.status().toString(),
        Integer.toString(job.attempts().size()),
        ran ? FlowNarrator.text(job.duration()) : "-",
        Optional.ofNullable(job.outputProperties().get(TRACKING_URL))
            .or(() -> narrator.link(job.name()))
            .orElse("-"));
  }

  private static int width(List<List<String>> rows, int column) {
    return rows.stream()
        .mapToInt(row -> row.get(column).length())
        .reduce(HEAD.get(column).length(), Math::max);
  }

  private String join(List<String> cells, int[] widths, Tone statusTone) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.size(); i++) {
      String cell = cells.get(i);
      line.append(i == STATUS_COLUMN ? screen.tint(statusTone, cell) : cell);
      if (i < cells.size() - 1) {
        line.append(" ".repeat(widths[i] - cell.length() + 2));
      }
    }
    return line.toString();
  }
}
