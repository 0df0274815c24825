package io.tony.config.declared;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.config.option.ConfigOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.Test;

public class RegistryTest {
  /** Every key of the design's list, of the contract with the job type, and of TonY's defaults. */
  private static final List<String> EXPECTED =
      """
      tony.worker.instances tony.worker.memory tony.worker.vcores tony.worker.gpus
      tony.worker.command tony.worker.resources tony.worker.env tony.worker.env.X
      tony.worker.node-label tony.worker.placement-spec tony.worker.allocation-tags
      tony.worker.depends-on tony.worker.max-instances tony.worker.resource-types
      tony.docker.worker.image
      tony.application.name tony.application.type tony.application.tags
      tony.application.framework tony.application.distributed-mode tony.application.node-label
      tony.application.placement-spec tony.application.timeout tony.application.prepare-stage
      tony.application.training-stage tony.application.untracked.jobtypes
      tony.application.sidecar.jobtypes tony.application.stop-on-failure-jobtypes
      tony.application.fail-on-worker-failure-enabled tony.application.enable-preprocess
      tony.application.security.enabled tony.application.hdfs-conf-path
      tony.application.yarn-conf-path tony.application.mapred-conf-path
      tony.application.hadoop.location tony.application.hadoop.classpath
      tony.application.group.A tony.application.dependency.evaluator.timeout.after.A
      tony.application.dependency.evaluator.timeout.after.A.ignored
      tony.application.tensorboard-log-dir tony.application.num-client-rm-connect-retries
      tony.yarn.queue tony.other.namenodes
      tony.containers.resources tony.containers.envs tony.containers.command
      tony.containers.placement-spec tony.containers.allocation-tags tony.execution.envs
      tony.docker.enabled tony.docker.containers.image tony.docker.containers.mount
      tony.am.memory tony.am.vcores tony.am.gpus tony.am.node-label tony.am.retry-count
      tony.am.startup-timeout tony.am.wait-client-signal-stop-timeout-sec
      tony.task.heartbeat-interval-ms tony.task.max-missed-heartbeats
      tony.task.metrics-interval-ms tony.task.gpu-metrics.enabled tony.task.max-total-instances
      tony.task.max-total-gpus tony.task.max-total-memory tony.task.max-total-yarn.io/fpga
      tony.task.am.jvm.opts tony.task.executor.jvm.opts tony.task.default.jvm.opts
      tony.task.executor.execution-timeout-ms tony.task.executor.registry-timeout-sec
      tony.task.executor.execution.error-message-max-depth
      tony.container.allocation.timeout tony.container.registration.timeout
      tony.history.location tony.history.intermediate tony.history.finished
      tony.python-exec-path tony.gpu-exec-path
      tony.application.executes tony.application.src-dir tony.application.task-params
      tony.application.python-venv tony.application.python-binary-path
      tony.application.hdfs-classpath tony.application.conf-file tony.execution.env.ANY
      tony.azkaban.project tony.azkaban.flow tony.azkaban.execution tony.azkaban.job
      tony.azkaban.attempt tony.azkaban.url tony.azkaban.on-existing tony.azkaban.dry-run
      tony.java.home tony.application.checkpoint-dir tony.application.tracking-url
      tony.application.client-lost-timeout tony.task.stop-grace-ms tony.am.lost-retry-count
      tony.am.max-attempts tony.staging.location
      """
          .lines()
          .flatMap(line -> List.of(line.strip().split(" ")).stream())
          .toList();

  @Test
  public void shouldKnowEveryKeyThatUsersHave() {
    List<String> unknown = new ArrayList<>(EXPECTED);
    unknown.removeIf(key -> Registry.lookup(key).isPresent());
    assertEquals(List.of(), unknown);
  }

  @Test
  public void shouldDeclareEachKeyOnceAndSayWhatItMeans() {
    Set<String> keys = new HashSet<>();
    for (ConfigOption<?> option : Registry.all()) {
      assertTrue(option.key(), keys.add(option.key()));
      option.aliases().forEach(alias -> assertTrue(alias, keys.add(alias)));
      option.oldNames().forEach(alias -> assertTrue(alias, keys.add(alias)));
      assertTrue(option.key(), option.doc().endsWith("."));
      assertTrue(option.key(), RemovedKeys.find(option.key()).isEmpty());
      assertEquals(
          option.key(), option.support() == ConfigOption.Support.FULL, option.remark().isEmpty());
    }
  }

  @Test
  public void shouldFindOptionsByNameRoleAndAlias() {
    assertEquals("tony.am.memory", Registry.lookup("tony.am.memory").orElseThrow().key());
    assertEquals("tony.chief.memory", Registry.lookup("tony.chief.memory").orElseThrow().key());
    assertEquals(
        "tony.task.heartbeat-interval-ms",
        Registry.lookup("tony.task.heartbeat-interval").orElseThrow().key());
    assertFalse(Registry.lookup("tony.application.memory").isPresent());
    assertFalse(Registry.lookup("tony.worker.memmory").isPresent());
    assertFalse(Registry.lookup("tony.gang.retry-count").isPresent());
  }

  @Test
  public void shouldKeepTheTypeOfACapOnMemory() {
    assertEquals("size", Registry.lookup("tony.task.max-total-memory").orElseThrow().type());
    assertEquals("long", Registry.lookup("tony.task.max-total-gpus").orElseThrow().type());
  }

  @Test
  public void shouldSuggestTheNearestKeyForATypo() {
    assertEquals(Optional.of("tony.worker.memory"), Registry.suggest("tony.worker.memmory"));
    assertEquals(Optional.of("tony.worker.gpus"), Registry.suggest("tony.worker.gpu"));
    assertEquals(Optional.of("tony.yarn.queue"), Registry.suggest("tony.yarn.qeueu"));
    assertEquals(
        Optional.of("tony.containers.resources"), Registry.suggest("tony.container.resources"));
    assertEquals(
        Optional.of("tony.evaluator.memory"),
        Registry.suggest("tony.evaluator.memroy", List.of("worker")));
    assertEquals(Optional.empty(), Registry.suggest("tony.something.quite.different.altogether"));
  }
}
