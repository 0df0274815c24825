package io.tony.am.yarn;

import io.tony.am.machine.Event.ContainerEnd;
import io.tony.config.Secrets;
import io.tony.model.FailureKind;
import io.tony.model.FileSpec;
import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.jspecify.annotations.Nullable;

/**
 * Recognises containers that never ran because their node could not fetch or unpack a file. The
 * first such failure is retryable, because most causes may be temporary or specific to a node, such
 * as network or disk errors. If the cause is in a file, and the task's next container fails for the
 * same cause, every further one would fail, too, and the failure is INVALID.
 */
final class LocalizationFailures {
  /** Matches causes that lie in the file itself, in messages of HDFS, YARN and the zip library. */
  private static final Pattern FILE_CAUSE =
      Pattern.compile(
          "File does not exist|changed on src filesystem|Permission denied: user="
              + "|Truncated ZIP file|java\\.util\\.zip\\.ZipException");

  /**
   * Matches a message whose cause is either a truncated tar file or a full disk: only a failure on
   * a second node shows that it is the file.
   */
  private static final Pattern FILE_OR_NODE_CAUSE = Pattern.compile("tar -x.* exit code [0-9]+");

  /** Matches lines of a Java stack trace. */
  private static final Predicate<String> FRAME =
      Pattern.compile("\\s+(at |\\.\\.\\. ).*").asMatchPredicate();

  private static final int MAX_FILES_LISTED = 5;

  /**
   * Why a file could not be fetched or unpacked.
   *
   * @param node node on which it happened; null if it would happen on any node
   */
  private record FoundCause(String cause, @Nullable String node) {
    boolean confirms(@Nullable FoundCause previous) {
      return previous != null
          && cause.equals(previous.cause)
          && (node == null || !node.equals(previous.node));
    }
  }

  private final JobSpec job;
  private final Map<TaskId, FoundCause> last = new HashMap<>();

  LocalizationFailures(JobSpec job) {
    this.job = job;
  }

  /**
   * Returns what the container's end means for its task; empty if the container ran.
   *
   * @param node the container's node; empty if unknown
   */
  Optional<ContainerEnd> classify(ContainerStatus status, TaskId task, String node) {
    FoundCause previous = last.remove(task);
    // YARN sets this exit status until a container runs; it stays if the container never runs.
    if (status.getExitStatus() != ContainerExitStatus.INVALID) {
      return Optional.empty();
    }
    String diagnostics = ExitStatuses.diagnostics(status);
    String message =
        "its node could not fetch or unpack the task's files: " + innermost(diagnostics);
    Optional<FoundCause> found = findCause(diagnostics, node);
    found.ifPresent(now -> last.put(task, now));
    return Optional.of(
        found.filter(now -> now.confirms(previous)).isPresent()
            ? new ContainerEnd(FailureKind.INVALID, message + ", as it was before" + remedy(task))
            : new ContainerEnd(FailureKind.LOST, message));
  }

  private static Optional<FoundCause> findCause(String diagnostics, String node) {
    Matcher file = FILE_CAUSE.matcher(diagnostics);
    if (file.find()) {
      return Optional.of(new FoundCause(file.group(), null));
    }
    Matcher either = FILE_OR_NODE_CAUSE.matcher(diagnostics);
    return either.find() && !node.isEmpty()
        ? Optional.of(new FoundCause(either.group(), node))
        : Optional.empty();
  }

  /**
   * Returns the message of the innermost exception, which comes last: YARN's diagnostics contain
   * the stack traces of all nested exceptions.
   */
  private static String innermost(String diagnostics) {
    return diagnostics
        .lines()
        .filter(line -> !line.isBlank() && !FRAME.test(line))
        .reduce((first, second) -> second)
        .map(line -> line.replaceFirst("^(Caused by: |\\[[^]]*\\])", "").strip())
        .orElse("YARN does not say why");
  }

  private String remedy(TaskId task) {
    List<String> files =
        Stream.concat(job.files().stream(), job.role(task.role()).files().stream())
            .map(FileSpec::source)
            .map(Secrets::maskText)
            .toList();
    return files.isEmpty()
        ? ""
        : ". Check that the job's user can read them, that they are whole, and that nobody changes"
            + " them while the job runs: "
            + files.stream().limit(MAX_FILES_LISTED).collect(Collectors.joining(", "))
            + (files.size() > MAX_FILES_LISTED
                ? " and " + (files.size() - MAX_FILES_LISTED) + " more"
                : "");
  }
}
