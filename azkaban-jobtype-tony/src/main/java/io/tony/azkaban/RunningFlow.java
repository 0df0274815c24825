package io.tony.azkaban;

import java.lang.reflect.Field;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Azkaban's own data about the flow of an execution, which a job cannot change. They are read by
 * reflection, because the classes of Azkaban's executor are not part of its API and differ between
 * versions.
 */
final class RunningFlow {

  private static final String EXECUTOR = "azkaban.execapp.AzkabanExecutorServer";
  private static final String EXECUTOR_FIELD = "app";
  private static final String SERVICES = "azkaban.ServiceProvider";
  private static final String LOADER = "azkaban.executor.ExecutorLoader";

  /**
   * The properties that identify a job's flow, each with the name of the getter of its value in
   * Azkaban's flow object.
   */
  private static final Map<String, String> GETTERS = getters();

  /** Looks up the flow of an execution. */
  interface FlowLookup {
    /**
     * Returns the properties that identify the flow; empty if they cannot be determined in this
     * Azkaban.
     *
     * @param execution the execution's id
     */
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

  /**
   * Looks up the flow of an execution in the Azkaban of this JVM; empty if Azkaban's classes do not
   * provide it.
   */
  static Optional<Map<String, String>> of(int execution) {
    ClassLoader azkaban = RunningFlow.class.getClassLoader();
    Object flow = null;
    try {
      flow = ofExecutor(azkaban, execution);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      // This JVM is not an executor server: look the flow up in Azkaban's database instead.
    }
    try {
      flow = flow == null ? ofServices(azkaban, execution) : flow;
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return Optional.empty();
    }
    return Optional.ofNullable(flow).map(RunningFlow::properties);
  }

  /**
   * Looks up a flow in the memory of an executor server, which runs many executions. Returns null
   * if this JVM is not a running executor server.
   */
  private static @Nullable Object ofExecutor(ClassLoader azkaban, int execution)
      throws ReflectiveOperationException {
    Class<?> type = Class.forName(EXECUTOR, true, azkaban);
    // The field is read directly, because Azkaban 2.5.0 has no getter for it.
    Field field = type.getDeclaredField(EXECUTOR_FIELD);
    field.setAccessible(true);
    Object app = field.get(null);
    if (app == null) {
      return null;
    }
    Object manager = type.getMethod("getFlowRunnerManager").invoke(app);
    return manager.getClass().getMethod("getExecutableFlow", int.class).invoke(manager, execution);
  }

  /** Looks up a flow in Azkaban's database, for a pod, which runs a single execution. */
  private static Object ofServices(ClassLoader azkaban, int execution)
      throws ReflectiveOperationException {
    Class<?> type = Class.forName(SERVICES, true, azkaban);
    Class<?> loaderType = Class.forName(LOADER, true, azkaban);
    Object services = type.getField("SERVICE_PROVIDER").get(null);
    Object loader = type.getMethod("getInstance", Class.class).invoke(services, loaderType);
    return loaderType.getMethod("fetchExecutableFlow", int.class).invoke(loader, execution);
  }

  /**
   * Returns the flow's properties. A property whose value this version of Azkaban does not have is
   * an empty text; such an Azkaban does not set the property for jobs either.
   */
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
