package io.tony.client.check.project;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Finds identity properties that a project overrides: those from which TonY learns which step of
 * which execution a job is. Azkaban sets them, but lets a project override them; TonY's job type
 * then refuses to run the step.
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
   * Returns one problem that names all identity properties that the project overrides; empty if
   * there are none.
   *
   * @param own the job's own properties
   * @param flowProperties the properties with which the flow is started, and those of the enclosing
   *     flows
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
