package io.tony.azkaban;

import java.lang.reflect.Field;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What Azkaban itself knows of the flow that an execution runs, beside all properties. It is asked
 * by reflection: the classes of its executor are no part of its API, and its versions differ.
 */
final class RunningFlow {

  private static final String EXECUTOR = "azkaban.execapp.AzkabanExecutorServer";
  private static final String EXECUTOR_FIELD = "app";
  private static final String SERVICES = "azkaban.ServiceProvider";
  private static final String LOADER = "azkaban.executor.ExecutorLoader";

  /** The properties that Azkaban gives each job, with where it takes them from. */
  private static final Map<String, String> GETTERS = getters();

  /** Finds the flow of an execution. */
  interface FlowLookup {
    /** The properties that say which flow it is; empty where Azkaban cannot be asked. */
    Optional<Map<String, String>> of(int execution);
  }

  private RunningFlow() {}

  private static Map<String, String> getters() {
    Map<String, String> getters = new LinkedHashMap<>();
    getters.put("azkaban.flow.projectname", "getProjectName");
    getters.put("azkaban.flow.projectid", "getProjectId");
    getters.put("azkaban.flow.projectversion", "getVersion");
    getters.put("azkaban.flow.flowid", "getFlowId");
    getters.put("azkaban.flow.submituser", "getSubmitUser");
    return Collections.unmodifiableMap(getters);
  }

  /** Asks the Azkaban in whose JVM this is. */
  static Optional<Map<String, String>> of(int execution) {
    ClassLoader azkaban = RunningFlow.class.getClassLoader();
    Object flow = null;
    try {
      flow = ofExecutor(azkaban, execution);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      // another Azkaban: its services may know
    }
    try {
      flow = flow == null ? ofServices(azkaban, execution) : flow;
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return Optional.empty();
    }
    return Optional.ofNullable(flow).map(RunningFlow::properties);
  }

  /** In an executor that runs many executions; null where this JVM is none. */
  private static Object ofExecutor(ClassLoader azkaban, int execution)
      throws ReflectiveOperationException {
    Class<?> type = Class.forName(EXECUTOR, true, azkaban);
    Field field = type.getDeclaredField(EXECUTOR_FIELD); // 2.5.0 has no method for it
    field.setAccessible(true);
    Object app = field.get(null);
    if (app == null) {
      return null;
    }
    Object manager = type.getMethod("getFlowRunnerManager").invoke(app);
    return manager.getClass().getMethod("getExecutableFlow", int.class).invoke(manager, execution);
  }

  /** In a container of one execution: from Azkaban's database. */
  private static Object ofServices(ClassLoader azkaban, int execution)
      throws ReflectiveOperationException {
    Class<?> type = Class.forName(SERVICES, true, azkaban);
    Class<?> loaderType = Class.forName(LOADER, true, azkaban);
    Object services = type.getField("SERVICE_PROVIDER").get(null);
    Object loader = type.getMethod("getInstance", Class.class).invoke(services, loaderType);
    return loaderType.getMethod("fetchExecutableFlow", int.class).invoke(loader, execution);
  }

  /** What this Azkaban does not know, it does not set either: empty. */
  private static Map<String, String> properties(Object flow) {
    Map<String, String> properties = new LinkedHashMap<>();
    GETTERS.forEach((key, getter) -> properties.put(key, value(flow, getter)));
    return properties;
  }

  private static String value(Object flow, String getter) {
    try {
      Object value = flow.getClass().getMethod(getter).invoke(flow);
      return value == null ? "" : value.toString();
    } catch (ReflectiveOperationException e) {
      return "";
    }
  }
}
