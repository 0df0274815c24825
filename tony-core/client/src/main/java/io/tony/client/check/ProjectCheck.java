package io.tony.client.check;

import static java.util.function.Predicate.not;

import io.tony.client.application.ExitCode;
import io.tony.client.check.project.Flows;
import io.tony.client.check.project.Project;
import io.tony.client.check.project.ProjectException;
import io.tony.client.check.project.Step;
import io.tony.client.input.FileCheck;
import io.tony.client.input.InvalidJobException;
import io.tony.client.input.JobFolder;
import io.tony.client.input.JobSources;
import io.tony.client.input.SiteSettings;
import io.tony.client.output.JobLog;
import io.tony.config.JobTranslation;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ProgramOptions;
import io.tony.config.declared.Registry;
import io.tony.config.declared.RoleOptions;
import io.tony.config.job.PropertyCheck;
import io.tony.config.job.SecretProperties;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * {@code tony validate PROJECT}: checks each step of TonY's job type in an Azkaban project as the
 * step's submission would, and prints all problems.
 */
public final class ProjectCheck {
  private static final String TYPE = "tony";

  /**
   * Job types that are probably meant to be TonY's: names under which other installations of
   * Azkaban may have installed TonY, and LinkedIn's job type, which TonY replaces.
   */
  private static final Pattern SIMILAR_TYPE = Pattern.compile("(?i)tony.*|tensorflow(job)?");

  private final Configuration conf;
  private final Map<String, String> environment;
  private final SiteSettings site;
  private final Set<String> types;
  private final JobLog out;

  /** Empty if the project is checked without the cluster. */
  private Optional<Cluster> cluster = Optional.empty();

  private int problemCount;

  /**
   * The cluster for which the project is checked.
   *
   * @param largest size of the largest container that YARN allocates
   */
  private record Cluster(YarnClient yarn, Resource largest) {}

  /**
   * Creates a check for one Azkaban installation.
   *
   * @param environment this process's environment variables
   * @param site settings of the Azkaban administrator for all steps
   * @param installedType name of the job type's folder in Azkaban, which steps give as their {@code
   *     type}; empty for {@code tony}
   */
  public ProjectCheck(
      Configuration conf,
      Map<String, String> environment,
      SiteSettings site,
      Optional<String> installedType,
      JobLog out) {
    this.conf = conf;
    this.environment = environment;
    this.site = site;
    this.types = new TreeSet<>(Set.of(TYPE));
    installedType.ifPresent(types::add);
    this.out = out;
  }

  /**
   * Makes the later checks include the cluster. If the cluster cannot be reached, prints a warning
   * instead.
   */
  public void includeCluster(YarnClient client) {
    try {
      cluster = Optional.of(new Cluster(client, ClusterLimits.loadLargestContainer(client)));
    } catch (IOException | YarnException | RuntimeException e) {
      out.println(
          "warning: the cluster cannot be reached ("
              + e.getMessage()
              + "): queues, limits and remote files are not checked. Set HADOOP_CONF_DIR, or give"
              + " -offline to leave them out");
    }
  }

  /**
   * Checks a project, and prints its problems. Returns the exit code with which the client exits.
   *
   * @param file the project: a zip archive or a folder
   * @param parameters properties with which the project's flows are started
   * @throws InvalidJobException if the project cannot be read, or has no step of TonY's job type
   */
  public ExitCode check(Path file, Map<String, String> parameters)
      throws InvalidJobException, IOException, YarnException {
    try (Project project = Project.open(file)) {
      Flows flows = project.flows(parameters);
      flows.warnings().forEach(warning -> out.println("warning: " + warning));
      flows.problems().forEach(this::reportProblem);
      List<Step> steps = steps(flows, file);
      List<Path> allowed = new ArrayList<>(project.folders());
      allowed.addAll(site.folders());
      for (Step step : steps) {
        // A step may ship files from the project and from the folders that the administrator
        // allows.
        check(step, JobFolder.ofStep(step.folder(), allowed, site.fileSystems()), project.folder());
      }
      if (problemCount == 0) {
        return ExitCode.SUCCEEDED;
      }
      out.println(problemCount + (problemCount == 1 ? " problem" : " problems") + " in " + file);
      return ExitCode.INVALID;
    } catch (ProjectException e) {
      throw new InvalidJobException(e.problems());
    }
  }

  /** Returns the steps of TonY's job type. Prints a warning about steps with similar types. */
  private List<Step> steps(Flows flows, Path file) throws InvalidJobException {
    Map<String, List<String>> others = new TreeMap<>();
    for (Step step : flows.steps()) {
      if (!types.contains(step.type())) {
        others.computeIfAbsent(step.type(), type -> new ArrayList<>()).add(step.label());
      }
    }
    others.forEach(
        (type, names) -> {
          if (SIMILAR_TYPE.matcher(type).matches()) {
            out.println("warning: " + skippedMessage(type, names));
          }
        });
    List<Step> steps = flows.steps().stream().filter(step -> types.contains(step.type())).toList();
    if (steps.isEmpty()) {
      throw new InvalidJobException(
          List.of(
              file
                  + " holds no job of type="
                  + String.join(" or ", types)
                  + (others.isEmpty()
                      ? ", nor of another type"
                      : "; its jobs are of type " + String.join(", ", others.keySet()))));
    }
    return steps;
  }

  private static String skippedMessage(String type, List<String> names) {
    return String.join(", ", names)
        + (names.size() == 1 ? " is" : " are")
        + " of type="
        + type
        + ", and not checked: give -plugin FOLDER with the job type's folder in Azkaban, whose name"
        + " is the type, or write type=tony";
  }

  private void check(Step step, JobFolder folder, Path project) throws IOException, YarnException {
    int before = problemCount;
    step.problems().forEach(problem -> reportProblem(step, problem));
    checkNames(step);
    SecretProperties.warning(step.properties()).ifPresent(warning -> warn(step, warning));
    TonyConfig config;
    try {
      config = config(step, folder);
    } catch (InvalidJobException e) {
      e.problems().forEach(problem -> reportProblem(step, problem));
      return;
    }
    JobCheck check = JobCheck.of(config);
    checkFiles(step, config, check, folder, project);
    if (cluster.isPresent()) {
      check.checkCluster(cluster.get().yarn(), cluster.get().largest());
    }
    check.warnings().forEach(warning -> warn(step, warning));
    check.errors().forEach(problem -> reportProblem(step, problem));
    if (problemCount == before) {
      out.println(JobCheck.validMessage(step.label(), check.job()));
    }
  }

  private void checkNames(Step step) {
    List<String> names = step.properties().keySet().stream().sorted().toList();
    List<String> refused = names.stream().filter(PropertyCheck::isRefusedVariable).toList();
    if (!refused.isEmpty()) {
      reportProblem(
          step,
          String.join(", ", refused)
              + " would decide as whom, where or how TonY's client acts, which is not a step's to"
              + " say: remove it. The environment of the program is task_env.NAME");
    }
    List<String> others = names.stream().filter(not(PropertyCheck::isRefusedVariable)).toList();
    PropertyCheck.warnings(others).forEach(warning -> warn(step, warning));
  }

  private TonyConfig config(Step step, JobFolder folder) throws InvalidJobException {
    Map<String, String> properties = new LinkedHashMap<>(step.properties());
    step.unresolved()
        .forEach(
            (key, causes) -> {
              Optional<String> option = JobTranslation.optionOf(key);
              if (option.flatMap(Registry::lookup).isPresent()) {
                properties.remove(key);
                placeholder(option.get()).ifPresent(value -> properties.put(key, value));
                if (!causes.isEmpty()) {
                  warn(
                      step,
                      key
                          + " is known only when the job runs: it holds "
                          + String.join(", ", causes));
                }
              }
            });
    // Azkaban sets these when the step runs. A step of .job files may belong to several flows.
    properties.put("azkaban.flow.projectname", "project");
    properties.put("azkaban.flow.flowid", step.flow().isEmpty() ? step.name() : step.flow());
    properties.put("azkaban.job.id", step.name());
    return JobSources.read(
        new JobSources.JobInputs(site.defaults(), properties, Map.of()), environment, folder, conf);
  }

  /**
   * Returns a valid value for an option whose real value is known only at run time, so that the
   * rest of the job can be checked; empty if a job is valid without the option.
   */
  private static Optional<String> placeholder(String option) {
    if (RoleOptions.INSTANCES.names(option).isPresent()) {
      return Optional.of("1");
    }
    boolean command =
        option.equals(ProgramOptions.EXECUTES.key())
            || option.equals(ProgramOptions.COMMAND.key())
            || RoleOptions.COMMAND.names(option).isPresent();
    return command ? Optional.of(":") : Optional.empty();
  }

  private void checkFiles(
      Step step, TonyConfig config, JobCheck check, JobFolder folder, Path project) {
    FileCheck files = new FileCheck(config, check.job(), folder);
    files.checkLocal();
    if (cluster.isPresent()) {
      files.checkRemote(conf);
    }
    check.addErrors(inProject(files.refusals(), project));
    inProject(files.warnings(), project).forEach(check::addWarning);
    List<String> missing = inProject(files.unusableFiles(), project);
    if (step.producers().isEmpty()) {
      check.addErrors(missing);
    } else {
      missing.forEach(
          file ->
              check.addWarning(
                  file + ", unless " + String.join(" or ", step.producers()) + " makes it"));
    }
  }

  /**
   * Returns the problems with paths relative to the project, instead of paths in the temporary
   * folder into which its archive was unpacked.
   */
  private static List<String> inProject(List<String> problems, Path project) {
    return problems.stream()
        .map(problem -> problem.replace(project.toString(), "the project"))
        .toList();
  }

  private void reportProblem(Step step, String problem) {
    reportProblem(step.label() + ": " + problem);
  }

  private void reportProblem(String problem) {
    problemCount++;
    out.println(problem);
  }

  private void warn(Step step, String warning) {
    out.println("warning: " + step.label() + ": " + warning);
  }
}
