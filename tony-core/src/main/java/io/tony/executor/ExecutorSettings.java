package io.tony.executor;

import io.tony.model.Endpoint;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an executor knows when it starts, as its container's environment. These are names and
 * numbers of ours only: YARN writes the environment into a shell script.
 */
public record ExecutorSettings(
    TaskKey key,
    String host,
    InetSocketAddress master,
    Duration heartbeatInterval,
    int maxMissedHeartbeats,
    Duration stopGrace,
    int errorLines,
    boolean tensorBoard) {

  /** Name in the working directory of the archive with the user's source folder. */
  public static final String SOURCE_ARCHIVE = ".tony-src.tar.gz";

  private static final String PREFIX = "TONY_EXECUTOR_";
  private static final String TASK = PREFIX + "TASK";
  private static final String ATTEMPT = PREFIX + "ATTEMPT";
  private static final String CONTAINER = PREFIX + "CONTAINER";
  private static final String HOST = PREFIX + "HOST";
  private static final String MASTER = PREFIX + "MASTER";
  private static final String HEARTBEAT_MS = PREFIX + "HEARTBEAT_MS";
  private static final String MAX_MISSED = PREFIX + "MAX_MISSED_HEARTBEATS";
  private static final String STOP_GRACE_MS = PREFIX + "STOP_GRACE_MS";
  private static final String ERROR_LINES = PREFIX + "ERROR_LINES";
  private static final String TENSORBOARD = PREFIX + "TENSORBOARD";

  public Map<String, String> toEnvironment() {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put(TASK, key.task().toString());
    environment.put(ATTEMPT, Integer.toString(key.attempt()));
    environment.put(CONTAINER, key.container());
    environment.put(HOST, host);
    environment.put(MASTER, master.getHostString() + ":" + master.getPort());
    environment.put(HEARTBEAT_MS, Long.toString(heartbeatInterval.toMillis()));
    environment.put(MAX_MISSED, Integer.toString(maxMissedHeartbeats));
    environment.put(STOP_GRACE_MS, Long.toString(stopGrace.toMillis()));
    environment.put(ERROR_LINES, Integer.toString(errorLines));
    environment.put(TENSORBOARD, Boolean.toString(tensorBoard));
    return environment;
  }

  static ExecutorSettings from(Map<String, String> environment) {
    Endpoint master = Endpoint.parse(required(environment, MASTER));
    return new ExecutorSettings(
        new TaskKey(
            TaskId.parse(required(environment, TASK)),
            Integer.parseInt(required(environment, ATTEMPT)),
            required(environment, CONTAINER)),
        required(environment, HOST),
        new InetSocketAddress(master.host(), master.port()),
        Duration.ofMillis(Long.parseLong(required(environment, HEARTBEAT_MS))),
        Integer.parseInt(required(environment, MAX_MISSED)),
        Duration.ofMillis(Long.parseLong(required(environment, STOP_GRACE_MS))),
        Integer.parseInt(required(environment, ERROR_LINES)),
        Boolean.parseBoolean(required(environment, TENSORBOARD)));
  }

  /** True for a variable that is the executor's own and not for the user's program. */
  static boolean isOwn(String variable) {
    return variable.startsWith(PREFIX);
  }

  private static String required(Map<String, String> environment, String name) {
    String value = environment.get(name);
    if (value == null) {
      throw new IllegalStateException(name + " is not set: an executor is started by its AM only");
    }
    return value;
  }
}
