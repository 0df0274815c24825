package io.tony.client.check.project;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The properties by which Azkaban says which step it is. Azkaban lets a job override them, and
 * TonY's job type refuses a step that does.
 */
final class StepIdentity {
  private static final Set<String> KEYS =
      Set.of(
          "azkaban.flow.execid",
          "azkaban.flow.executionsource",
          "azkaban.flow.flowid",
          "azkaban.flow.nested.path",
          "azkaban.flow.projectid",
          "azkaban.flow.projectlastchangedby",
          "azkaban.flow.projectlastchangeddate",
          "azkaban.flow.projectname",
          "azkaban.flow.projectversion",
          "azkaban.flow.submituser",
          "azkaban.flow.uuid",
          "azkaban.job.attachment.file",
          "azkaban.job.attempt",
          "azkaban.job.id",
          "azkaban.job.log.file",
          "azkaban.job.metadata.file");

  private static final List<String> PREFIXES = List.of("azkaban.flow.start.", "azkaban.link.");

  private StepIdentity() {}

  /**
   * What is told of those that do not come from Azkaban.
   *
   * @param own the job's
   * @param flowProperties what its flow is started with, and the flows around it set
   */
  static List<String> problems(Map<String, String> own, Map<String, String> flowProperties) {
    Set<String> found = new TreeSet<>(own.keySet());
    found.removeIf(key -> PREFIXES.stream().noneMatch(key::startsWith));
    Stream.of(own, flowProperties)
        .flatMap(properties -> properties.keySet().stream())
        .filter(KEYS::contains)
        .forEach(found::add);
    return found.isEmpty()
        ? List.of()
        : List.of(
            String.join(", ", found)
                + " may be set only by Azkaban: remove what is not the job's to say");
  }
}
