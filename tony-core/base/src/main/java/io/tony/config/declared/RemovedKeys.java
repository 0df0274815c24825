package io.tony.config.declared;

import java.util.List;
import java.util.Optional;

/**
 * Options of LinkedIn's TonY that this project does not have, each with its replacement. A job that
 * sets such a key gets a warning, never an error.
 */
public final class RemovedKeys {
  /**
   * A key of LinkedIn's TonY without effect.
   *
   * @param key the key; if it ends with {@code .*}, all keys with the prefix before the asterisk
   * @param remedy what to do instead; completes the warning "KEY has no effect: …"
   */
  public record RemovedKey(String key, String remedy) {
    boolean matches(String other) {
      return key.endsWith(".*")
          ? other.startsWith(key.substring(0, key.length() - 1))
          : other.equals(key);
    }
  }

  private static final String NO_PORTAL =
      "there is no portal server; a job's history is its event log below tony.history.location";
  private static final String FOR_PLUGIN =
      "it is the administrator's, in the plugin.properties of the job type";

  private static final String ONE_MASTER = "remove it: there is one ApplicationMaster";

  static final List<RemovedKey> ALL =
      List.of(
          new RemovedKey("tony.portal.*", NO_PORTAL),
          new RemovedKey("tony.https.*", NO_PORTAL),
          new RemovedKey("tony.http.port", NO_PORTAL),
          new RemovedKey("tony.secret.key", NO_PORTAL),
          new RemovedKey("tony.init.module", NO_PORTAL),
          new RemovedKey("tony.history.host", NO_PORTAL),
          new RemovedKey("tony.history.cache.max-entries", NO_PORTAL),
          new RemovedKey("tony.history.maxAppends", NO_PORTAL),
          new RemovedKey("tony.history.mover-interval-ms", NO_PORTAL),
          new RemovedKey("tony.history.purger-interval-ms", NO_PORTAL),
          new RemovedKey(
              "tony.history.retention-sec",
              "set tony.history.retention, which keeps the event logs of jobs for so long"),
          new RemovedKey("tony.history.finished-dir-timezone", NO_PORTAL),
          new RemovedKey("tony.am.instances", ONE_MASTER),
          new RemovedKey("tony.am.max-instances", ONE_MASTER),
          new RemovedKey("tony.client.*", FOR_PLUGIN),
          new RemovedKey("tony.version-info.*", "the client's own version is what runs"),
          new RemovedKey("tony.horovod.*", "it is a test switch of LinkedIn TonY's Horovod driver"),
          new RemovedKey(
              "tony.application.test.*", "it is a test switch of LinkedIn TonY's Horovod driver"),
          new RemovedKey(
              "tony.application.single-node",
              "set tony.application.framework=standalone and tony.worker.instances=1"),
          new RemovedKey(
              "tony.task.executor.java.agent",
              "add -javaagent:… to tony.task.executor.jvm.opts, and ship the agent's jar"),
          new RemovedKey("tony.chief.name", "name the role that leads the job chief"),
          new RemovedKey("tony.chief.index", "task 0 of the chief role leads the job"));

  private RemovedKeys() {}

  public static Optional<RemovedKey> find(String key) {
    return ALL.stream().filter(removed -> removed.matches(key)).findFirst();
  }
}
