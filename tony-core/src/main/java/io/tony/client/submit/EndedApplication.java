package io.tony.client.submit;

import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.JobOptions;
import io.tony.container.HistoryLocation;
import io.tony.event.JobFact;
import io.tony.event.TaskFact;
import io.tony.eventlog.EventConsumer;
import io.tony.eventlog.EventLog;
import io.tony.eventlog.LogTail;
import io.tony.eventlog.OwnerCheckedFileSystem;
import io.tony.failure.FailureSignature;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An application of the job that has ended, by its event log.
 *
 * @param options that it was submitted with
 * @param result null where its log does not tell
 * @param failureSignature what failures of its kind have in common; empty where another start may
 *     mend it
 */
record EndedApplication(
    ApplicationReport report,
    Map<String, String> options,
    JobResult result,
    String failureSignature) {
  /** Characters of a log in which its options are: in its first decision. */
  private static final int MAX_OPTIONS_CHARS = 64 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(EndedApplication.class);

  /** Reads its log; nothing but the report is known where that cannot be read. */
  static EndedApplication of(Configuration conf, TonyConfig config, ApplicationReport report) {
    return of(conf, config, report, (logs, log, events) -> EventLog.read(logs, log, 0, events));
  }

  /** The same of the beginning of its log only, where its options are. */
  static EndedApplication ofBeginning(
      Configuration conf, TonyConfig config, ApplicationReport report) {
    return of(
        conf,
        config,
        report,
        (logs, log, events) ->
            new LogTail(logs, log).read(MAX_OPTIONS_CHARS, (line, event) -> events.take(event)));
  }

  private interface LogReader {
    void read(FileSystem logs, Path log, EventConsumer events) throws IOException;
  }

  private static EndedApplication of(
      Configuration conf, TonyConfig config, ApplicationReport report, LogReader reader) {
    String application = report.getApplicationId().toString();
    try {
      FileSystem fs = FileSystem.get(conf);
      Path log = EventLog.folder(HistoryLocation.ofCurrentUser(fs, config), application);
      Builder builder = new Builder();
      reader.read(new OwnerCheckedFileSystem(fs, report.getUser()), log, builder::add);
      return builder.build(report);
    } catch (IOException | RuntimeException e) {
      LOG.warn("How {} ended cannot be read: {}", application, e.toString());
      return new Builder().build(report);
    }
  }

  /** Takes the events of its log in their order. */
  static final class Builder {
    private final Map<TaskId, Instant> startTimes = new HashMap<>();
    private final Map<TaskId, String> failures = new HashMap<>();
    private Map<String, String> options = Map.of();
    private JobResult result;

    void add(JobEvent event) {
      if (event.type() == JobEvent.Type.JOB_DESCRIBED) {
        options = JobFact.Described.of(event).description().options();
      } else if (event.type() == JobEvent.Type.JOB_FINISHED) {
        result = JobFact.Finished.of(event).result();
      } else if (event.type() == JobEvent.Type.TASK_STARTED) {
        startTimes.put(TaskFact.Started.of(event).task(), event.time());
      } else if (event.type() == JobEvent.Type.TASK_FAILED) {
        TaskFact.Failed failed = TaskFact.Failed.of(event);
        failures.put(
            failed.task(), failureSignature(failed, startTimes.get(failed.task()), event.time()));
      }
    }

    EndedApplication build(ApplicationReport report) {
      TaskId task = result == null ? null : result.task();
      return new EndedApplication(report, options, result, task == null ? "" : failures.get(task));
    }
  }

  /** A program that ran for long, and told nobody how far it was, may come further next time. */
  private static String failureSignature(TaskFact.Failed failed, Instant startedAt, Instant at) {
    boolean early =
        startedAt == null
            || Duration.between(startedAt, at).compareTo(FailureSignature.MAX_EARLY_RUN_TIME) < 0;
    String cause = FailureSignature.of(failed);
    return cause.isEmpty() || (failed.step().isEmpty() && !early)
        ? ""
        : failed.task() + " " + failed.step() + " " + cause;
  }

  /** Whether it had just these options and files, by one of their hashes. */
  boolean hasSpecification(List<String> hashes) {
    return hashes.contains(options.getOrDefault(AzkabanOptions.SPECIFICATION.key(), ""));
  }

  /** Whether another start of the job would end the same way, as its own starts have shown. */
  boolean isFutile() {
    return result != null && result.futile();
  }

  /** Whether both failed in the same way, at the same step. */
  boolean failedLike(EndedApplication other) {
    return failureSignature != null
        && !failureSignature.isEmpty()
        && failureSignature.equals(other.failureSignature);
  }

  /** Where it kept its checkpoints. */
  Optional<String> checkpointFolder() {
    return Optional.ofNullable(options.get(JobOptions.CHECKPOINT_DIR.key()));
  }

  String execution() {
    return options.getOrDefault(AzkabanOptions.EXECUTION.key(), "");
  }
}
