import azkaban.AzkabanCommonModule;
import azkaban.Constants.ConfigurationKeys;
import azkaban.DispatchMethod;
import azkaban.ServiceProvider;
import azkaban.cluster.ClusterModule;
import azkaban.cluster.ClusterRouter;
import azkaban.db.DatabaseOperator;
import azkaban.executor.ExecutableFlow;
import azkaban.executor.ExecutionControllerUtils;
import azkaban.executor.ExecutorLoader;
import azkaban.executor.ExecutorManagerAdapter;
import azkaban.executor.OnContainerizedExecutionEventListener;
import azkaban.executor.Status;
import azkaban.executor.container.ContainerCleanupManager;
import azkaban.executor.container.ContainerizedImpl;
import azkaban.flow.Flow;
import azkaban.metrics.ContainerizationMetrics;
import azkaban.metrics.MetricsManager;
import azkaban.project.Project;
import azkaban.project.ProjectCache;
import azkaban.project.ProjectLoader;
import azkaban.project.ProjectManager;
import azkaban.server.AzkabanServer;
import azkaban.utils.Props;
import azkaban.utils.YarnUtils;
import azkaban.webapp.AzkabanWebServerModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.log4j.BasicConfigurator;
import org.apache.log4j.ConsoleAppender;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.SimpleLayout;

/**
 * What Azkaban's web server does beside the dispatch where executions run in pods, by its own code
 * on the database that the tests' Azkaban has, without Kubernetes. Each line of standard input is a
 * command and an execution; each has one line of output, which begins with {@code answer}.
 *
 * <ul>
 *   <li>{@code ended N}: the pod of execution N has ended. The answer is the execution that retries
 *       the flow, or 0.
 *   <li>{@code find N}: the ids of the living applications of execution N, by Azkaban's own search.
 *   <li>{@code submit N}: submits an application as Azkaban's own Hadoop job types would in
 *       execution N; the answer is its id.
 *   <li>{@code clean N}: ends the applications of all stopped executions, once; N is of no account.
 * </ul>
 */
public final class ContainerizedWebServer {

  private static final Logger LOG = Logger.getLogger(ContainerizedWebServer.class);

  private final Injector injector;
  private final ExecutorLoader executions;
  private final ContainerCleanupManager cleaner;
  private final YarnClient yarn;

  private ContainerizedWebServer(Props azkaban, String hadoopConf) {
    injector =
        Guice.createInjector(
            new AzkabanCommonModule(azkaban),
            new AzkabanWebServerModule(azkaban),
            new ClusterModule());
    ServiceProvider.SERVICE_PROVIDER.setInjector(injector);
    executions = injector.getInstance(ExecutorLoader.class);
    ExecutionControllerUtils.onExecutionEventListener =
        new OnContainerizedExecutionEventListener(
            executions,
            injector.getInstance(ExecutorManagerAdapter.class),
            injector.getInstance(ProjectManager.class),
            injector.getInstance(MetricsManager.class));
    cleaner =
        new ContainerCleanupManager(
            Props.of(ConfigurationKeys.HADOOP_CONF_DIR_PATH, hadoopConf),
            executions,
            injector.getInstance(ClusterRouter.class),
            noPods(),
            null,
            injector.getInstance(ContainerizationMetrics.class));
    yarn =
        YarnUtils.createYarnClient(
            Props.of(YarnUtils.YARN_CONF_DIRECTORY_PROPERTY, hadoopConf), LOG);
  }

  /** Kubernetes, in which no pod runs. */
  private static ContainerizedImpl noPods() {
    return (ContainerizedImpl)
        Proxy.newProxyInstance(
            ContainerizedWebServer.class.getClassLoader(),
            new Class<?>[] {ContainerizedImpl.class},
            (proxy, method, arguments) -> method.getReturnType() == Set.class ? Set.of() : null);
  }

  /** Takes the same steps as Azkaban's FlowStatusManagerListener. */
  private int ended(int id) throws Exception {
    injector
        .getInstance(DatabaseOperator.class)
        .update(
            "UPDATE execution_flows SET dispatch_method=? WHERE exec_id=?",
            DispatchMethod.CONTAINERIZED.getNumVal(),
            id);
    ExecutableFlow flow = executions.fetchExecutableFlow(id);
    flow.setDispatchMethod(DispatchMethod.CONTAINERIZED);
    loadProject(flow.getProjectId());
    if (!Status.isStatusFinished(flow.getStatus())) {
      ExecutionControllerUtils.finalizeFlow(
          null,
          null,
          executions,
          null,
          flow,
          "Flow pod execution was completed.",
          null,
          Status.EXECUTION_STOPPED);
    }
    ExecutionControllerUtils.restartFlow(flow, flow.getStatus());
    ExecutionControllerUtils.EXECUTOR_SERVICE.submit(() -> {}).get(); // after the restart
    return Math.max(0, flow.getFlowRetryChildExecutionID());
  }

  /** The server that takes uploads, another one here, has each project in its memory. */
  private void loadProject(int id) throws Exception {
    ProjectLoader loader = injector.getInstance(ProjectLoader.class);
    Project project = loader.fetchProjectById(id);
    project.setFlows(
        loader.fetchAllProjectFlows(project).stream()
            .collect(Collectors.toMap(Flow::getId, flow -> flow)));
    injector.getInstance(ProjectCache.class).putProject(project);
  }

  private String find(int id) throws Exception {
    Set<String> ids = new TreeSet<>();
    for (ApplicationReport report :
        YarnUtils.getAllAliveAppReportsByExecIDs(yarn, Set.of(id), LOG)) {
      ids.add(report.getApplicationId().toString());
    }
    return String.join(" ", ids);
  }

  private String submit(int id) throws Exception {
    ApplicationSubmissionContext application =
        yarn.createApplication().getApplicationSubmissionContext();
    application.setApplicationName("control");
    application.setApplicationTags(Set.of("azkaban.flow.execid:" + id));
    application.setResource(Resource.newInstance(256, 1));
    application.setAMContainerSpec(
        ContainerLaunchContext.newInstance(
            Map.of(), Map.of(), List.of("sleep 600"), Map.of(), null, Map.of()));
    return yarn.submitApplication(application).toString();
  }

  private String answer(String command, int id) throws Exception {
    switch (command) {
      case "ended":
        return Integer.toString(ended(id));
      case "find":
        return find(id);
      case "submit":
        return submit(id);
      case "clean":
        cleaner.cleanUpDanglingYarnApplications();
        return "done";
      default:
        throw new IllegalArgumentException(command);
    }
  }

  /** {@code ContainerizedWebServer AZKABAN_CONF HADOOP_CONF}, until its standard input ends. */
  public static void main(String[] args) throws Exception {
    BasicConfigurator.configure(
        new ConsoleAppender(new SimpleLayout(), ConsoleAppender.SYSTEM_ERR));
    Logger.getRootLogger().setLevel(Level.INFO);
    ContainerizedWebServer server =
        new ContainerizedWebServer(
            AzkabanServer.loadProps(new String[] {"-conf", args[0]}), args[1]);
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      String[] words = line.split(" ", 2);
      System.out.println("answer " + server.answer(words[0], Integer.parseInt(words[1])));
    }
    System.exit(0); // Azkaban's threads are no daemons
  }
}
