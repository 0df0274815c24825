package io.tony.client;

import io.tony.client.application.ExitCode;
import io.tony.client.application.YarnFinalStatus;
import io.tony.client.input.Arguments;
import io.tony.client.input.InvalidJobException;
import io.tony.client.output.DurationText;
import io.tony.config.TonyConfig;
import io.tony.history.HistoryIndex;
import io.tony.history.JobFilter;
import io.tony.history.JobSummary;
import io.tony.history.JobSummary.Status;
import io.tony.history.SummaryJson;
import io.tony.text.Strings;
import io.tony.timeline.draw.Table;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** {@code tony list}: lists the jobs in the history, newest first. */
final class ListCommand {
  private static final int MAX_JOBS = 10_000;
  private static final int MAX_CELL_CHARS = 48;
  private static final Pattern AGE = Pattern.compile("(\\d{1,6})([mhdw])");
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT);

  private final Console console;

  ListCommand(Console console) {
    this.console = console;
  }

  ExitCode run(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    Arguments arguments = Console.requireNoPositionalArgs(CliCommand.LIST.parse(args));
    Instant now = Instant.now();
    JobFilter filter = filter(arguments, now);
    int limit = limit(arguments);
    TonyConfig config = console.submittedConfig(arguments);
    FileSystem fs = FileSystem.get(console.conf());
    HistorySelection selection = HistorySelection.of(fs, config, arguments.last("user").orElse(""));
    try (HistoryIndex index = selection.index(fs, Console.cacheFolder(System.getenv()));
        YarnClient yarn = console.yarn()) {
      HistoryIndex.Update update = index.update();
      HistoryIndex.Page page = index.page(selection.restrictToUser(filter), 0, limit);
      YarnFinalStatus yarnStatus = new YarnFinalStatus(yarn);
      List<JobSummary> jobs = new ArrayList<>();
      for (JobSummary job : page.jobs()) {
        jobs.add(yarnStatus.withFinalStatus(job));
      }
      if (arguments.hasFlag("json")) {
        console.out().printJson(json(jobs, page.total()));
      } else {
        print(jobs, page.total(), selection, update, now);
      }
      return ExitCode.SUCCEEDED;
    }
  }

  private static JobFilter filter(Arguments arguments, Instant now) throws InvalidJobException {
    JobFilter filter =
        JobFilter.ALL
            .ofStep(
                arguments.last("project").orElse(""),
                arguments.last("flow").orElse(""),
                arguments.last("job").orElse(""))
            .withText(arguments.last("text").orElse(""));
    if (arguments.last("since").isPresent()) {
      filter = filter.between(since(arguments.last("since").get(), now), null);
    }
    return arguments.last("status").isEmpty()
        ? filter
        : filter.withStatus(status(arguments.last("status").get()));
  }

  private static Status status(String text) throws InvalidJobException {
    return Stream.of(Status.values())
        .filter(status -> status.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () ->
                new InvalidJobException(
                    List.of(
                        "-status is "
                            + text
                            + "; it is one of "
                            + Arrays.asList(Status.values()))));
  }

  private static Instant since(String text, Instant now) throws InvalidJobException {
    Matcher age = AGE.matcher(text);
    if (!age.matches()) {
      throw new InvalidJobException(
          List.of("-since is " + text + "; it is a number and m, h, d or w, such as 7d"));
    }
    long number = Long.parseLong(age.group(1));
    return now.minus(
        switch (age.group(2)) {
          case "m" -> Duration.ofMinutes(number);
          case "h" -> Duration.ofHours(number);
          case "d" -> Duration.ofDays(number);
          default -> Duration.ofDays(7 * number);
        });
  }

  static int limit(Arguments arguments) throws InvalidJobException {
    return number(arguments, "limit", 20);
  }

  /**
   * Returns the value of an option that limits the number of jobs, or {@code defaultValue} if the
   * option is not given.
   *
   * @throws InvalidJobException if the value is not a number from 1 to {@link #MAX_JOBS}
   */
  static int number(Arguments arguments, String name, int defaultValue) throws InvalidJobException {
    String text = arguments.last(name).orElse("" + defaultValue);
    if (!text.matches("[1-9]\\d{0,4}") || Integer.parseInt(text) > MAX_JOBS) {
      throw new InvalidJobException(
          List.of("-" + name + " is " + text + "; it is a number from 1 to " + MAX_JOBS));
    }
    return Integer.parseInt(text);
  }

  private static String json(List<JobSummary> jobs, int total) {
    return SummaryJson.object(
        json -> {
          json.writeNumberField("total", total);
          json.writeArrayFieldStart("jobs");
          for (JobSummary job : jobs) {
            json.writeStartObject();
            SummaryJson.write(job, json);
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  private void print(
      List<JobSummary> jobs,
      int total,
      HistorySelection selection,
      HistoryIndex.Update update,
      Instant now) {
    if (jobs.isEmpty()) {
      console.out().println("no such job in " + selection.pattern());
    } else {
      table(jobs, selection.user().isEmpty(), now).lines().forEach(console.out()::println);
    }
    if (total > jobs.size()) {
      console.out().println(jobs.size() + " of " + total + " jobs; -limit NUMBER shows more");
    }
    if (update.unreadableCount() > 0) {
      console
          .out()
          .println(
              "not shown: the jobs in "
                  + update.unreadableCount()
                  + " folders that you may not read");
    }
  }

  private static Table table(List<JobSummary> jobs, boolean showUser, Instant now) {
    Table table =
        new Table("APPLICATION", "STATUS", "BEGAN", ">TOOK", showUser ? "USER" : "QUEUE", "JOB");
    for (JobSummary job : jobs) {
      Duration duration = job.duration(now);
      table.addRow(
          job.application(),
          job.kind() == null || job.status() != Status.FAILED
              ? job.status().toString()
              : job.status() + " " + job.kind(),
          job.begin().equals(Instant.EPOCH)
              ? "-"
              : TIME.format(job.begin().atZone(ZoneId.systemDefault())),
          duration == null || duration.isNegative() ? "-" : DurationText.format(duration),
          cell(showUser ? job.user() : job.queue()),
          cell(job.title()));
    }
    return table;
  }

  /**
   * Returns the text for a table cell: on one line, and shortened. Users and their programs choose
   * these texts, which may contain line breaks.
   */
  static String cell(String text) {
    String line = text.strip().replaceAll("[\\s\\p{Cntrl}]+", " ");
    return line.length() <= MAX_CELL_CHARS
        ? line
        : Strings.truncate(line, MAX_CELL_CHARS - 1) + "…";
  }
}
