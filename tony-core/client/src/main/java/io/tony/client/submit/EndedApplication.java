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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An ended application of the same job or step as this client's, as described by YARN's report and
 * the application's event log.
 *
 * @param options the options with which the application was submitted; empty if unknown
 * @param result the result in the event log; null if the log contains none
 * @param failureSignature task, step and cause of the failure that decided the result, as text;
 *     equal for failures of the same kind. Empty if unknown, or if another run may get further
 */
record EndedApplication(
    ApplicationReport report,
    Map<String, String> options,
    @Nullable JobResult result,
    String failureSignature) {
  /**
   * Maximum number of characters read to find the job's options, which are near the beginning of
   * the event log.
   */
  private static final int MAX_OPTIONS_CHARS = 64 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(EndedApplication.class);

  /**
   * Reads the event log of the application in {@code report}. If the log cannot be read, the
   * returned record has no options, no result and no failure.
   */
  static EndedApplication of(Configuration conf, TonyConfig config, ApplicationReport report) {
    return of(conf, config, report, (logs, log, events) -> EventLog.read(logs, log, 0, events));
  }

  /**
   * Like {@link #of}, but reads only the beginning of the event log, so that the result and the
   * failure of a long log are missing; the options are at the beginning.
   */
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

  /**
   * Builds an {@link EndedApplication} from the events of its event log, which must be added in
   * order.
   */
  static final class Builder {
    private final Map<TaskId, Instant> startTimes = new HashMap<>();
    private final Map<TaskId, String> failures = new HashMap<>();
    private Map<String, String> options = Map.of();
    private @Nullable JobResult result;

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
      return new EndedApplication(
          report, options, result, task == null ? "" : failures.getOrDefault(task, ""));
    }
  }

  /**
   * Returns the signature of a failure. Returns an empty text if the failure has no signature, or
   * if the program reported no step and ran longer than {@link
   * FailureSignature#MAX_EARLY_RUN_TIME}: another run may then get further.
   */
  private static String failureSignature(
      TaskFact.Failed failed, @Nullable Instant startedAt, Instant at) {
    boolean early =
        startedAt == null
            || Duration.between(startedAt, at).compareTo(FailureSignature.MAX_EARLY_RUN_TIME) < 0;
    String cause = FailureSignature.of(failed);
    return cause.isEmpty() || (failed.step().isEmpty() && !early)
        ? ""
        : failed.task() + " " + failed.step() + " " + cause;
  }

  /**
   * Returns whether the hash of the options and files with which the application was submitted is
   * one of {@code hashes}.
   */
  boolean hasSpecification(List<String> hashes) {
    return hashes.contains(options.getOrDefault(AzkabanOptions.SPECIFICATION.key(), ""));
  }

  /**
   * Returns whether the ApplicationMaster stopped the job because restarts had shown that the job
   * always fails in the same way.
   */
  boolean isFutile() {
    return result != null && result.futile();
  }

  /**
   * Returns whether both applications failed in the same task, at the same step and for the same
   * cause; false if the failure of either is unknown.
   */
  boolean failedLike(EndedApplication other) {
    return !failureSignature.isEmpty() && failureSignature.equals(other.failureSignature);
  }

  /** Returns the checkpoint folder from the application's options; empty if unknown. */
  Optional<String> checkpointFolder() {
    return Optional.ofNullable(options.get(JobOptions.CHECKPOINT_DIR.key()));
  }

  String execution() {
    return options.getOrDefault(AzkabanOptions.EXECUTION.key(), "");
  }
}
