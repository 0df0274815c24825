package io.tony.azkaban.mini;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The parameters of an execution.
 *
 * @param flowFolder the folder that would be uploaded to Azkaban: {@code .job} and {@code
 *     .properties} files, and all files that the jobs need; it is only read
 * @param flowName the flow's name, which is the name of its last job; required if the folder
 *     contains several flows
 * @param plugins the folder that contains one folder for each job type (Azkaban's {@code
 *     azkaban.jobtype.plugin.dir}); not needed for Azkaban's built-in job types
 * @param work the folder in which the executions' folders {@code executions/<id>} are created;
 *     created if missing
 * @param executionId an id that no execution in {@code work} has; if empty, the lowest free id is
 *     used
 * @param properties the flow's parameters; they override {@code .properties} files, and a job's own
 *     properties override them
 * @param listener is notified of the execution's events
 */
public record FlowRequest(
    Path flowFolder,
    Optional<String> flowName,
    Optional<Path> plugins,
    Path work,
    OptionalInt executionId,
    Map<String, String> properties,
    FlowListener listener) {

  public FlowRequest {
    flowFolder = flowFolder.toAbsolutePath().normalize();
    plugins = plugins.map(folder -> folder.toAbsolutePath().normalize());
    work = work.toAbsolutePath().normalize();
    properties = Map.copyOf(properties);
    Objects.requireNonNull(flowName, "flowName");
    Objects.requireNonNull(executionId, "executionId");
    Objects.requireNonNull(listener, "listener");
  }

  public static Builder builder(Path flowFolder, Path work) {
    return new Builder(flowFolder, work);
  }

  /**
   * Returns descriptions of the problems of these parameters that can be detected before anything
   * is written; empty if there are none.
   */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    flowFolderProblem(flowFolder).ifPresent(problems::add);
    plugins.flatMap(FlowRequest::pluginsProblem).ifPresent(problems::add);
    workProblem().ifPresent(problems::add);
    executionId.ifPresent(id -> executionIdProblem(id).ifPresent(problems::add));
    return problems;
  }

  static Optional<String> flowFolderProblem(Path folder) {
    return when(!Files.isDirectory(folder), "flow folder " + folder + " is not a folder");
  }

  static Optional<String> pluginsProblem(Path folder) {
    return when(
        !holdsJobType(folder),
        "plugins folder "
            + folder
            + " holds no job type: it must be a folder with one folder per type, such as"
            + " tony/private.properties");
  }

  private Optional<String> workProblem() {
    return when(
            work.startsWith(flowFolder),
            "work folder " + work + " lies in the flow folder, which is copied to it: name another")
        .or(
            () ->
                when(
                    Files.exists(work) && !Files.isDirectory(work),
                    "work folder " + work + " is a file: name another"));
  }

  private Optional<String> executionIdProblem(int id) {
    return when(id < 1, "execution id " + id + " is too low: ids count from 1")
        .or(
            () ->
                when(
                    Files.exists(ExecutionFolder.path(work, id)),
                    "execution "
                        + id
                        + " is already in "
                        + work
                        + ": give another id, or none for the next free one"));
  }

  private static Optional<String> when(boolean wrong, String problem) {
    return wrong ? Optional.of(problem) : Optional.empty();
  }

  private static boolean holdsJobType(Path folder) {
    File[] types = folder.toFile().listFiles(type -> new File(type, "private.properties").isFile());
    return types != null && types.length > 0;
  }

  /** Builds a request. Only the flow folder and the work folder are required. */
  public static final class Builder {
    private final Path flowFolder;
    private final Path work;
    private final Map<String, String> properties = new LinkedHashMap<>();
    private Optional<String> flowName = Optional.empty();
    private Optional<Path> plugins = Optional.empty();
    private OptionalInt executionId = OptionalInt.empty();
    private FlowListener listener = FlowListener.NONE;

    private Builder(Path flowFolder, Path work) {
      this.flowFolder = flowFolder;
      this.work = work;
    }

    public Builder flowName(String name) {
      flowName = Optional.of(name);
      return this;
    }

    public Builder plugins(Path folder) {
      plugins = Optional.of(folder);
      return this;
    }

    public Builder executionId(int id) {
      executionId = OptionalInt.of(id);
      return this;
    }

    public Builder property(String key, String value) {
      properties.put(key, value);
      return this;
    }

    public Builder properties(Map<String, String> values) {
      properties.putAll(values);
      return this;
    }

    public Builder listener(FlowListener flowListener) {
      listener = flowListener;
      return this;
    }

    public FlowRequest build() {
      return new FlowRequest(
          flowFolder, flowName, plugins, work, executionId, properties, listener);
    }
  }
}
