package io.tony.client.doctor;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tony.client.application.ExitCode;
import io.tony.client.input.InvalidJobException;
import io.tony.client.input.JobFolder;
import io.tony.client.login.Login;
import io.tony.client.output.JobLog;
import io.tony.client.submit.JobRun;
import io.tony.client.submit.ReportTargets;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ProgramOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.logs.YarnPage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Reader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;

/**
 * The job that {@code tony doctor} submits, in the same way as a user would. Its tasks report the
 * versions of Java and Python on their nodes. The job has its own time limits, which the options
 * passed to {@code tony doctor} may override.
 */
public final class TestJob {
  /** Value of the number of nodes that stands for all running nodes of the cluster. */
  public static final String ALL_NODES = "all";

  private static final Map<String, String> DEFAULTS =
      Map.of(
          "tony.application.name", "tony-doctor",
          "tony.worker.memory", "512m",
          "tony.am.max-attempts", "1",
          "tony.am.startup-timeout", "1m",
          "tony.container.allocation.timeout", "1m",
          "tony.container.registration.timeout", "1m",
          "tony.application.timeout", "3m");

  private static final Duration MAX_LINK_WAIT = Duration.ofSeconds(10);
  private static final int MAX_REDIRECTS = 10;

  private final Configuration conf;
  private final YarnClient yarn;
  private final Login login;
  private final TonyConfig config;
  private final Path folder;
  private final String nodes;
  private Map<String, String> outputs = Map.of();
  private int taskCount;
  private volatile @Nullable JobRun run; // null until launch() is called

  /**
   * Creates the job without submitting it.
   *
   * @param folder an empty folder for the job's files on this machine
   * @param nodes number of nodes for the job, or {@link #ALL_NODES}
   */
  public TestJob(
      Configuration conf,
      YarnClient yarn,
      Login login,
      TonyConfig config,
      Path folder,
      String nodes) {
    this.conf = conf;
    this.yarn = yarn;
    this.login = login;
    this.config = config;
    this.folder = folder;
    this.nodes = nodes;
  }

  /**
   * Ends the job, if it has been started. Returns false if the job may still be running after that.
   *
   * @param who who cancels the job, in words, for messages
   */
  public boolean cancel(String who) {
    JobRun current = run;
    return current == null || current.cancel(who);
  }

  Finding launch() throws IOException, YarnException, InterruptedException {
    taskCount =
        nodes.equals(ALL_NODES)
            ? yarn.getNodeReports(NodeState.RUNNING).size()
            : Integer.parseInt(nodes);
    Path status = folder.resolve("status");
    Path output = folder.resolve("output");
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    ExitCode code;
    try {
      ReportTargets reports = new ReportTargets(status, output, false, false);
      JobRun started =
          new JobRun(conf, yarn, login, job(), JobFolder.of(folder), reports, new JobLog(log));
      run = started;
      code = started.run();
    } catch (InvalidJobException e) {
      return Finding.failed(String.join("; ", e.problems()), "Nothing was submitted");
    }
    Properties statusProperties = new Properties();
    if (Files.exists(status)) {
      try (Reader reader = Files.newBufferedReader(status, StandardCharsets.UTF_8)) {
        statusProperties.load(reader);
      }
    }
    String application = statusProperties.getProperty("application.id", "no application");
    if (code != ExitCode.SUCCEEDED) {
      return Finding.failed(
          application
              + " failed ("
              + code
              + "): "
              + statusProperties.getProperty("message", log.toString(StandardCharsets.UTF_8)),
          remedy(code, application, taskCount));
    }
    outputs =
        new ObjectMapper().readValue(output.toFile(), new TypeReference<Map<String, String>>() {});
    return Finding.ok(application + " ran " + taskCount + (taskCount == 1 ? " task" : " tasks"));
  }

  private TonyConfig job() {
    Map<String, String> fixed = new LinkedHashMap<>();
    fixed.put(ProgramOptions.EXECUTES.key(), program());
    fixed.put("tony.worker.instances", Integer.toString(taskCount));
    if (taskCount > 1) {
      fixed.put("tony.worker.placement-spec", "notin,node,worker");
    }
    return TonyConfig.builder()
        .layer("tony doctor", DEFAULTS)
        .layer("the installation", config.asMap())
        .layer("tony doctor", fixed)
        .build();
  }

  /**
   * Returns the shell command that every task runs. It writes three values into the task's output
   * file: the node's host name, the version of the Java that runs the task's executor, and the
   * node's version of {@code python3}.
   */
  private String program() {
    String home = config.find(TaskOptions.JAVA_HOME).orElse("$JAVA_HOME");
    return "{ echo \"node.$TASK_INDEX=$(hostname)\""
        + "; echo \"java.$TASK_INDEX=$(\""
        + home
        + "/bin/java\" -XX:-UsePerfData -version 2>&1 | grep -m1 version)\""
        + "; echo \"python.$TASK_INDEX=$(python3 --version 2>&1)\"; } >> \"$TONY_OUTPUT_FILE\"";
  }

  private static String remedy(ExitCode code, String application, int taskCount) {
    return switch (code) {
      case INFRASTRUCTURE ->
          "Read the ApplicationMaster's am.log (yarn logs -applicationId "
              + application
              + "). The nodes need Java 17: where their JAVA_HOME is another, set tony.java.home or"
              + " tony.java.archive";
      case TIMEOUT -> "Try again with -queue and a queue that has room, or with a longer limit";
      case INVALID ->
          taskCount == 1
              ? "Correct what it names"
              : "To visit several nodes, YARN needs"
                  + " yarn.resourcemanager.placement-constraints.handler=scheduler; without -nodes"
                  + " one is visited";
      case PROGRAM_FAILED, KILLED_BY_OTHERS, END_UNKNOWN, INTERRUPTED, TERMINATED ->
          "Read its log: tony logs " + application;
      case SUCCEEDED -> "";
    };
  }

  /**
   * Returns the result of the check of the nodes: the versions of Java and Python that the tasks
   * have reported. It is a warning if a node has no Python 3.
   */
  Finding nodes() {
    Map<String, TreeSet<String>> hostsByVersions = new LinkedHashMap<>();
    boolean python = true;
    for (int task = 0; task < taskCount; task++) {
      String version = outputs.getOrDefault("tony.output.python." + task, "");
      python &= version.startsWith("Python 3");
      String versions =
          "Java "
              + outputs
                  .getOrDefault("tony.output.java." + task, "")
                  .replaceAll(".*\"(.*)\".*", "$1")
              + (version.startsWith("Python 3") ? ", " + version : ", no python3");
      hostsByVersions
          .computeIfAbsent(versions, key -> new TreeSet<>())
          .add(outputs.getOrDefault("tony.output.node." + task, "?"));
    }
    List<String> lines = new ArrayList<>();
    hostsByVersions.forEach(
        (versions, hosts) -> lines.add(String.join(", ", hosts) + ": " + versions));
    String found = String.join("; ", lines);
    return python
        ? Finding.ok(found)
        : Finding.warning(
            found, "Install python3, or let jobs ship theirs (python_venv) or name it by its path");
  }

  /** Checks that the web pages whose links the client prints for a job can be opened. */
  Finding links() {
    List<String> good = new ArrayList<>();
    List<String> bad = new ArrayList<>();
    for (String key : List.of("tony.tracking.url", "tony.task.worker.0.log.url")) {
      String url = outputs.getOrDefault(key, "");
      String problem = problem(url);
      (problem.isEmpty() ? good : bad).add(url + problem);
    }
    return bad.isEmpty()
        ? Finding.ok(String.join(" ", good))
        : Finding.warning(
            String.join("; ", bad),
            "Jobs run, but these links of their logs do not open from this machine: check the"
                + " addresses that YARN's pages listen on, and firewalls");
  }

  /**
   * Opens a page, following redirects. Returns what is wrong with it; an empty text if nothing is.
   * The text is a clause that callers append to the page's URL, such as {@code answers HTTP 404}
   * after a blank.
   */
  private static String problem(String url) {
    try {
      URI page = URI.create(url);
      for (int i = 0; i < MAX_REDIRECTS; i++) {
        HttpURLConnection answer = YarnPage.get(page, MAX_LINK_WAIT);
        int status = answer.getResponseCode();
        String next = answer.getHeaderField("Location");
        answer.disconnect();
        if (status == HttpURLConnection.HTTP_UNAUTHORIZED
            || status == HttpURLConnection.HTTP_FORBIDDEN) {
          return " does not let this user in (HTTP " + status + ")";
        }
        if (status < 300 || status >= 400 || next == null) {
          return status < 400 ? "" : " answers HTTP " + status;
        }
        page = page.resolve(next);
      }
      return " leads from page to page";
    } catch (IOException | IllegalArgumentException e) {
      return " does not answer: " + e;
    }
  }
}
