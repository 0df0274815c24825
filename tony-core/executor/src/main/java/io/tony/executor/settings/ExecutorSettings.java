package io.tony.executor.settings;

import io.tony.container.Staging;
import io.tony.executor.rpc.MasterCalls;
import io.tony.model.Endpoint;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Settings of an executor, passed as environment variables of its container. Values that a shell
 * might interpret are encoded, because YARN writes the environment into a shell script.
 *
 * @param key the attempt and the container with which the executor starts
 * @param host this node's name, by which the other tasks and the ApplicationMaster reach it
 * @param master address of the ApplicationMaster that launched this executor
 * @param rpcProtection protection of RPC messages: a value of {@link javax.security.sasl.Sasl#QOP}
 * @param masterFile URI of the file with the address of the job's current ApplicationMaster
 * @param masterLostTimeout how long to retry calls to an ApplicationMaster that does not answer
 * @param heartbeatInterval time between two heartbeats
 * @param hangTimeout maximum time without a sign of life from the program; zero for no limit
 * @param holdOnFailure how long to hold the container of a failed program before the exit is
 *     reported; zero to not hold it
 * @param stopGrace time between SIGTERM and SIGKILL of the program
 * @param errorLines number of last stderr lines to report
 * @param tensorBoard whether to reserve a second port, for TensorBoard
 * @param reusePort whether the task's port stays reserved while the program listens on it
 * @param networkInterface network interface that the program's communication libraries must use;
 *     empty to let them choose
 * @param hadoopEnvironment whether the program gets the variables that libhdfs needs
 * @param preflight check of the container before the task registers
 * @param sampling how to sample resource usage
 */
public record ExecutorSettings(
    TaskKey key,
    String host,
    InetSocketAddress master,
    String rpcProtection,
    String masterFile,
    Duration masterLostTimeout,
    Duration heartbeatInterval,
    Duration hangTimeout,
    Duration holdOnFailure,
    Duration stopGrace,
    int errorLines,
    boolean tensorBoard,
    boolean reusePort,
    String networkInterface,
    boolean hadoopEnvironment,
    Preflight preflight,
    Sampling sampling) {

  /**
   * Check of the container before the task registers.
   *
   * @param check a command line, or names of built-in checks; empty for no check
   * @param timeout limit for the check
   * @param gpus number of GPUs that the container must have
   */
  public record Preflight(String check, Duration timeout, long gpus) {}

  /**
   * How to sample a task's resource usage.
   *
   * @param interval time between two samples
   * @param gpus number of GPUs to sample: all GPUs of the task, or 0 to sample none
   * @param gpuProgram program that prints the usage of GPUs in the format of nvidia-smi
   */
  public record Sampling(Duration interval, long gpus, String gpuProgram) {}

  /** Name of the archive with the user's source folder, in the container's working directory. */
  public static final String SOURCE_ARCHIVE = Staging.SOURCE_IN_TASK;

  private static final String PREFIX = "TONY_EXECUTOR_";
  private static final String TASK = PREFIX + "TASK";
  private static final String ATTEMPT = PREFIX + "ATTEMPT";
  private static final String CONTAINER = PREFIX + "CONTAINER";
  private static final String HOST = PREFIX + "HOST";
  private static final String MASTER = PREFIX + "MASTER";

  /**
   * SASL mechanism with which an executor authenticates to its ApplicationMaster by the job's
   * token.
   */
  public static final String LOGIN_MECHANISM = MasterCalls.LOGIN_MECHANISM;

  private static final String RPC_PROTECTION = PREFIX + "RPC_PROTECTION";
  private static final String MASTER_FILE = PREFIX + "MASTER_FILE";
  private static final String MASTER_LOST_MS = PREFIX + "MASTER_LOST_MS";
  private static final String HEARTBEAT_MS = PREFIX + "HEARTBEAT_MS";
  private static final String HANG_MS = PREFIX + "HANG_MS";
  private static final String HOLD_MS = PREFIX + "HOLD_MS";
  private static final String STOP_GRACE_MS = PREFIX + "STOP_GRACE_MS";
  private static final String ERROR_LINES = PREFIX + "ERROR_LINES";
  private static final String TENSORBOARD = PREFIX + "TENSORBOARD";
  private static final String REUSE_PORT = PREFIX + "REUSE_PORT";
  private static final String NETWORK_INTERFACE = PREFIX + "NETWORK_INTERFACE";
  private static final String HADOOP_ENVIRONMENT = PREFIX + "HADOOP_ENVIRONMENT";
  private static final String PREFLIGHT = PREFIX + "PREFLIGHT";
  private static final String PREFLIGHT_MS = PREFIX + "PREFLIGHT_MS";
  private static final String PREFLIGHT_GPUS = PREFIX + "PREFLIGHT_GPUS";
  private static final String SAMPLING_MS = PREFIX + "SAMPLING_MS";
  private static final String GPUS = PREFIX + "GPUS";
  private static final String GPU_PROGRAM = PREFIX + "GPU_PROGRAM";

  public Map<String, String> toEnvironment() {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put(TASK, key.task().toString());
    environment.put(ATTEMPT, Integer.toString(key.attempt()));
    environment.put(CONTAINER, key.container());
    environment.put(HOST, host);
    environment.put(MASTER, master.getHostString() + ":" + master.getPort());
    environment.put(RPC_PROTECTION, encoded(rpcProtection));
    environment.put(MASTER_FILE, encoded(masterFile));
    environment.put(MASTER_LOST_MS, Long.toString(masterLostTimeout.toMillis()));
    environment.put(HEARTBEAT_MS, Long.toString(heartbeatInterval.toMillis()));
    environment.put(HANG_MS, Long.toString(hangTimeout.toMillis()));
    environment.put(HOLD_MS, Long.toString(holdOnFailure.toMillis()));
    environment.put(STOP_GRACE_MS, Long.toString(stopGrace.toMillis()));
    environment.put(ERROR_LINES, Integer.toString(errorLines));
    environment.put(TENSORBOARD, Boolean.toString(tensorBoard));
    environment.put(REUSE_PORT, Boolean.toString(reusePort));
    environment.put(NETWORK_INTERFACE, encoded(networkInterface));
    environment.put(HADOOP_ENVIRONMENT, Boolean.toString(hadoopEnvironment));
    environment.put(PREFLIGHT, encoded(preflight.check()));
    environment.put(PREFLIGHT_MS, Long.toString(preflight.timeout().toMillis()));
    environment.put(PREFLIGHT_GPUS, Long.toString(preflight.gpus()));
    environment.put(SAMPLING_MS, Long.toString(sampling.interval().toMillis()));
    environment.put(GPUS, Long.toString(sampling.gpus()));
    environment.put(GPU_PROGRAM, encoded(sampling.gpuProgram()));
    return environment;
  }

  public static ExecutorSettings from(Map<String, String> environment) {
    Endpoint master = Endpoint.parse(required(environment, MASTER));
    return new ExecutorSettings(
        new TaskKey(
            TaskId.parse(required(environment, TASK)),
            Integer.parseInt(required(environment, ATTEMPT)),
            required(environment, CONTAINER)),
        required(environment, HOST),
        new InetSocketAddress(master.host(), master.port()),
        decoded(environment, RPC_PROTECTION),
        decoded(environment, MASTER_FILE),
        millis(environment, MASTER_LOST_MS),
        millis(environment, HEARTBEAT_MS),
        millis(environment, HANG_MS),
        millis(environment, HOLD_MS),
        millis(environment, STOP_GRACE_MS),
        Integer.parseInt(required(environment, ERROR_LINES)),
        Boolean.parseBoolean(required(environment, TENSORBOARD)),
        Boolean.parseBoolean(required(environment, REUSE_PORT)),
        decoded(environment, NETWORK_INTERFACE),
        Boolean.parseBoolean(required(environment, HADOOP_ENVIRONMENT)),
        new Preflight(
            decoded(environment, PREFLIGHT),
            millis(environment, PREFLIGHT_MS),
            Long.parseLong(required(environment, PREFLIGHT_GPUS))),
        new Sampling(
            millis(environment, SAMPLING_MS),
            Long.parseLong(required(environment, GPUS)),
            decoded(environment, GPU_PROGRAM)));
  }

  /** Encodes text, such as a path, whose characters a shell might interpret. */
  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String decoded(Map<String, String> environment, String name) {
    return URLDecoder.decode(required(environment, name), StandardCharsets.UTF_8);
  }

  private static Duration millis(Map<String, String> environment, String name) {
    return Duration.ofMillis(Long.parseLong(required(environment, name)));
  }

  /** Returns true for a variable of these settings, which must not reach the user's program. */
  public static boolean isExecutorVariable(String variable) {
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
