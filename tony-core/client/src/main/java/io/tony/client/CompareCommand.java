package io.tony.client;

import io.tony.client.application.ExitCode;
import io.tony.client.input.Arguments;
import io.tony.client.input.InvalidJobException;
import io.tony.client.inspect.ApplicationView;
import io.tony.client.output.DurationText;
import io.tony.config.TonyConfig;
import io.tony.history.Comparison;
import io.tony.history.Comparison.Column;
import io.tony.history.Comparison.Deviation;
import io.tony.history.ComparisonJson;
import io.tony.history.HistoryIndex;
import io.tony.history.JobFilter;
import io.tony.history.JobSummary;
import io.tony.timeline.draw.Table;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileSystem;

/** {@code tony compare}: compares the durations and results of several runs of a job. */
final class CompareCommand {
  private static final int DIGITS = 5;

  /**
   * Maximum number of columns with metrics in the printed table; the JSON output has all of them.
   */
  private static final int MAX_COLUMNS = 14;

  private final Console console;

  CompareCommand(Console console) {
    this.console = console;
  }

  ExitCode run(List<String> args) throws InvalidJobException, IOException, InterruptedException {
    Arguments arguments = CliCommand.COMPARE.parse(args);
    boolean byId = !arguments.positionalArgs().isEmpty();
    boolean byStep =
        Set.of("project", "flow", "job").stream()
            .anyMatch(name -> arguments.last(name).isPresent());
    if (byId == byStep || arguments.positionalArgs().size() == 1) {
      throw new InvalidJobException(
          List.of(
              "tony compare takes two application ids or more, or the runs of one step of a flow:"
                  + " -project, -flow and -job"));
    }
    for (String applicationId : arguments.positionalArgs()) {
      ApplicationView.parseId(applicationId);
    }
    TonyConfig config = console.submittedConfig(arguments);
    FileSystem fs = FileSystem.get(console.conf());
    HistorySelection selection = HistorySelection.of(fs, config, arguments.last("user").orElse(""));
    try (HistoryIndex index = selection.index(fs, Console.cacheFolder(System.getenv()))) {
      index.update();
      Comparison comparison =
          Comparison.of(
              byId
                  ? runsById(index, arguments, selection)
                  : runsOfStep(index, arguments, selection));
      if (arguments.hasFlag("json")) {
        console.out().printJson(ComparisonJson.write(comparison));
      } else {
        print(comparison);
      }
    }
    return ExitCode.SUCCEEDED;
  }

  private static List<JobSummary> runsById(
      HistoryIndex index, Arguments arguments, HistorySelection selection)
      throws InvalidJobException {
    List<JobSummary> runs = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (String applicationId : arguments.positionalArgs()) {
      List<HistoryIndex.Log> logs = index.logs(applicationId);
      logs.stream().limit(1).forEach(log -> runs.add(log.job()));
      if (logs.size() > 1) {
        problems.add(
            "several users have an event log of "
                + applicationId
                + ": "
                + logs.stream().map(log -> log.job().user()).collect(Collectors.joining(", "))
                + "; -user NAME reads that user's");
      } else if (logs.isEmpty()) {
        problems.add(
            selection.pattern()
                + " has no event log of "
                + applicationId
                + ": see whether the id is right; -user NAME reads another user's");
      }
    }
    if (!problems.isEmpty()) {
      throw new InvalidJobException(problems);
    }
    return runs;
  }

  private static List<JobSummary> runsOfStep(
      HistoryIndex index, Arguments arguments, HistorySelection selection)
      throws InvalidJobException {
    JobFilter filter =
        JobFilter.ALL.ofStep(
            arguments.last("project").orElse(""),
            arguments.last("flow").orElse(""),
            arguments.last("job").orElse(""));
    List<JobSummary> runs =
        index
            .page(selection.restrictToUser(filter), 0, ListCommand.number(arguments, "last", 10))
            .jobs();
    if (runs.isEmpty()) {
      throw new InvalidJobException(
          List.of(
              "there is no such job in "
                  + selection.pattern()
                  + "; tony list shows what there is"));
    }
    return runs;
  }

  private void print(Comparison comparison) {
    List<Column> columns = comparison.columns();
    List<Column> shown = columns.subList(0, Math.min(columns.size(), MAX_COLUMNS));
    List<String> heading = new ArrayList<>(List.of("APPLICATION", "STATUS"));
    shown.forEach(column -> heading.add(">" + ListCommand.cell(column.name())));
    heading.add("OUT OF LINE");
    Table table = new Table(heading.toArray(String[]::new));
    for (int i = 0; i < comparison.runs().size(); i++) {
      List<String> cells = new ArrayList<>();
      cells.add(comparison.runs().get(i).application());
      cells.add(comparison.runs().get(i).status().toString());
      List<String> remarks = new ArrayList<>();
      for (Column column : columns) {
        if (cells.size() < shown.size() + 2) {
          cells.add(text(column, i));
        }
        if (column.deviations().get(i) != Deviation.USUAL) {
          remarks.add(
              ListCommand.cell(column.name())
                  + " "
                  + ComparisonJson.label(column.deviations().get(i)));
        }
      }
      cells.add(String.join(", ", remarks));
      table.addRow(cells.toArray(String[]::new));
    }
    table.lines().forEach(console.out()::println);
    if (comparison.runs().size() < Comparison.MIN_RUNS) {
      console
          .out()
          .println("what is out of line is listed for " + Comparison.MIN_RUNS + " runs or more");
    }
    if (columns.size() > shown.size()) {
      console.out().println((columns.size() - shown.size()) + " more figures: -json shows them");
    }
  }

  private static String text(Column column, int run) {
    Double value = column.values().get(run);
    if (value == null) {
      return "-";
    }
    return switch (column.unit()) {
      case SECONDS -> DurationText.format(Duration.ofMillis(Math.round(value * 1_000)));
      case COUNT, MIB -> "" + Math.round(value);
      case NUMBER -> number(value);
      case SHARE -> Math.round(value * 100) + " %";
    };
  }

  private static String number(double value) {
    BigDecimal rounded = new BigDecimal(value, new MathContext(DIGITS)).stripTrailingZeros();
    boolean plain = rounded.precision() - rounded.scale() <= DIGITS + 2 && rounded.scale() < 10;
    return plain ? rounded.toPlainString() : rounded.toString();
  }
}
