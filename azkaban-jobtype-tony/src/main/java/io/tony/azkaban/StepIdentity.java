package io.tony.azkaban;

import azkaban.utils.Props;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.log4j.Logger;

/**
 * Refuses a step that claims another identity than its own. Azkaban puts the project, the flow and
 * other identifying values into the properties of each job, but the job, its flow's parameters and
 * the output properties of earlier jobs can override most of them. The job type cannot see who set
 * a property, so it compares the values with data that only Azkaban can have written.
 */
final class StepIdentity {

  private static final String NESTED_PATH = "azkaban.flow.nested.path";

  /**
   * What Azkaban writes between the names of embedded flows in file names, where a colon is not
   * used.
   */
  private static final String FILE_SEPARATOR = "._.";

  /**
   * Keys that only Azkaban may set. Other keys that begin with {@code azkaban.} may be set by jobs.
   */
  static final List<String> KEYS =
      Collections.unmodifiableList(
          Arrays.asList(
              "azkaban.flow.execid",
              "azkaban.flow.executionsource",
              "azkaban.flow.flowid",
              NESTED_PATH,
              "azkaban.flow.projectid",
              "azkaban.flow.projectlastchangedby",
              "azkaban.flow.projectlastchangeddate",
              "azkaban.flow.projectname",
              "azkaban.flow.projectversion",
              "azkaban.flow.submituser",
              "azkaban.flow.uuid",
              "azkaban.job.attachment.file",
              "azkaban.job.attempt",
              PassedProperties.JOB_ID,
              "azkaban.job.log.file",
              "azkaban.job.metadata.file"));

  static final List<String> PREFIXES =
      Collections.unmodifiableList(Arrays.asList("azkaban.flow.start.", "azkaban.link."));

  private StepIdentity() {}

  /**
   * Checks the properties of a step.
   *
   * @param id the job's id, as passed by Azkaban
   * @param attempt number of the job's attempt, from 0
   * @param running looks up the flow of an execution in Azkaban
   * @throws JobFailedException if one of the keys does not have the value that Azkaban set
   */
  static void check(
      String id, Props job, String attempt, RunningFlow.FlowLookup running, Logger log)
      throws JobFailedException, IOException {
    Path attachment = JobFolders.attachment(id, job);
    refuseKeys(attachment.resolveSibling(id + ".job").toFile());
    Map<String, String> truth = new LinkedHashMap<>();
    truth.put(PassedProperties.JOB_ID, id);
    truth.put(NESTED_PATH, nestedPath(id, job, attempt));
    Optional<Map<String, String>> flow =
        running.of(Integer.parseInt(JobFolders.executionId(attachment)));
    if (flow.isPresent()) {
      truth.putAll(flow.get());
    } else {
      log.warn(
          "This Azkaban cannot be asked which flow runs: project and flow are as the job's"
              + " properties say.");
    }
    for (Map.Entry<String, String> fact : truth.entrySet()) {
      String value = job.get(fact.getKey());
      if (value != null && !value.equals(fact.getValue())) {
        throw new JobFailedException(
            fact.getKey()
                + " is Azkaban's to set, and is "
                + (fact.getValue().isEmpty() ? "not set" : fact.getValue())
                + " here: remove it from the job, from the parameters of the flow and from what"
                + " earlier jobs publish.");
      }
    }
  }

  /**
   * Throws an exception if the {@code .job} file sets a key that only Azkaban may set. Has no
   * effect if there is no such file.
   */
  private static void refuseKeys(File jobFile) throws JobFailedException, IOException {
    if (!jobFile.isFile()) {
      return;
    }
    Set<String> found = new TreeSet<>();
    for (String key : new Props(null, jobFile).getKeySet()) {
      if (KEYS.contains(key) || PREFIXES.stream().anyMatch(key::startsWith)) {
        found.add(key);
      }
    }
    if (!found.isEmpty()) {
      throw new JobFailedException(
          jobFile.getName()
              + " sets "
              + String.join(", ", found)
              + ", which only Azkaban may set: remove what is not the job's to say.");
    }
  }

  /**
   * Returns the path of a step in an embedded flow, such as {@code flow:job}, from the name of the
   * job's attachment; empty for a step that is not in an embedded flow. If the path that the job's
   * properties contain matches the file's name, that path is returned, because names may themselves
   * contain {@code ._.}.
   */
  private static String nestedPath(String id, Props job, String attempt) throws JobFailedException {
    String name = JobFolders.nestedName(id, job, attempt);
    if (name.equals(id)) {
      return "";
    }
    String claimed = job.getString(NESTED_PATH, "");
    return claimed.replace(":", FILE_SEPARATOR).equals(name)
        ? claimed
        : name.replace(FILE_SEPARATOR, ":");
  }
}
