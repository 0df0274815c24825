package io.tony.azkaban.mini;

import azkaban.flow.Flow;
import azkaban.flow.Node;
import azkaban.flow.SpecialJobTypes;
import azkaban.project.Project;
import azkaban.utils.DirectoryFlowLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.log4j.Logger;

/** A flow folder, read by Azkaban's own loader, and the flow in it that is to run. */
record FlowProject(Project project, Flow flow) {

  private static final int PROJECT_ID = 1;

  /**
   * Reads a flow folder and selects a flow in it.
   *
   * @param folder the flow folder; its name becomes the project's name
   * @param wanted the flow's name; may be empty if the folder contains only one flow
   * @throws FlowSetupException if the files are invalid or the flow cannot be selected
   */
  static FlowProject load(Path folder, Optional<String> wanted) throws FlowSetupException {
    DirectoryFlowLoader loader = new DirectoryFlowLoader(Logger.getLogger(FlowProject.class));
    loader.loadProjectFlow(folder.toFile());
    List<String> problems = new ArrayList<>(new TreeSet<>(loader.getErrors()));
    Map<String, Flow> flows = new HashMap<>(loader.getFlowMap());
    flows.values().stream()
        .filter(flow -> flow.getErrors() != null)
        .flatMap(flow -> flow.getErrors().stream().map(error -> flow.getId() + ": " + error))
        .forEach(problems::add);
    if (problems.isEmpty()) {
      selectionProblem(flows, wanted, folder).ifPresent(problems::add);
    }
    if (!problems.isEmpty()) {
      throw new FlowSetupException(problems);
    }
    Project project = new Project(PROJECT_ID, folder.getFileName().toString());
    project.setVersion(1);
    project.setFlows(flows);
    String selected = wanted.orElseGet(() -> topLevelFlows(flows).first());
    return new FlowProject(project, Objects.requireNonNull(flows.get(selected)));
  }

  /** Returns the reason why no flow can be selected; empty if one can. */
  private static Optional<String> selectionProblem(
      Map<String, Flow> flows, Optional<String> wanted, Path folder) {
    if (flows.isEmpty()) {
      return Optional.of(
          "folder " + folder + " holds no flow: it needs at least one .job file with a type");
    }
    if (wanted.isPresent()) {
      return flows.containsKey(wanted.get())
          ? Optional.empty()
          : Optional.of(
              "folder "
                  + folder
                  + " holds no flow '"
                  + wanted.get()
                  + "', only "
                  + String.join(", ", new TreeSet<>(flows.keySet()))
                  + " (a flow is named after its last job)");
    }
    Set<String> topLevel = topLevelFlows(flows);
    return topLevel.size() == 1
        ? Optional.empty()
        : Optional.of(
            "folder "
                + folder
                + " holds "
                + topLevel.size()
                + " flows: say which with --flow-name: "
                + String.join(", ", topLevel));
  }

  /** Returns the names of the flows that are not embedded in another flow. */
  private static TreeSet<String> topLevelFlows(Map<String, Flow> flows) {
    Set<String> embedded =
        flows.values().stream()
            .flatMap(flow -> flow.getNodes().stream())
            .filter(node -> SpecialJobTypes.EMBEDDED_FLOW_TYPE.equals(node.getType()))
            .map(Node::getEmbeddedFlowId)
            .collect(Collectors.toSet());
    return flows.keySet().stream()
        .filter(name -> !embedded.contains(name))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
