package io.tony.client.check;

import static org.junit.Assert.assertEquals;

import io.tony.config.TonyConfig;
import io.tony.runtime.Runtimes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.Test;

public class JobCheckTest {
  private static List<String> errors(String framework, String ports) {
    TonyConfig config =
        TonyConfig.builder()
            .layer(
                "job",
                Map.of(
                    "tony.worker.instances",
                    "2",
                    "tony.containers.command",
                    "true",
                    "tony.application.framework",
                    framework,
                    "tony.am.port-range",
                    ports))
            .build();
    return JobCheck.of(config).errors();
  }

  @Test
  public void shouldWantAPortForTheApplicationMasterAndOneForItsStore() {
    assertEquals(List.of(), errors("pytorch", "30000-30000"));
    assertEquals(List.of(), errors("horovod", "30000-30001"));
    assertEquals(
        List.of(
            "tony.am.port-range=30000-30000 has 1 port; the ApplicationMaster of this horovod job"
                + " takes 2: widen the range"),
        errors("horovod", "30000"));
  }

  @Test
  public void shouldWantAPortForThePageThatLeadsToTensorBoard() {
    TonyConfig config =
        TonyConfig.builder()
            .layer(
                "job",
                Map.of(
                    "tony.worker.instances", "2",
                    "tony.containers.command", "true",
                    "tony.application.framework", "mpi",
                    "tony.application.tracking-url", "tensorboard",
                    "tony.am.port-range", "30000-30001"))
            .build();
    assertEquals(
        List.of(
            "tony.am.port-range=30000-30001 has 2 ports; the ApplicationMaster of this mpi job"
                + " takes 3: widen the range"),
        JobCheck.of(config).errors());
  }

  @Test
  public void shouldTellAMalformedRangeOnce() {
    assertEquals(
        List.of(
            "tony.am.port-range=30001-30000 (job): expected ports from 1024 to 65535 such as"
                + " 30000-30100, the first not above the last"),
        errors("mpi", "30001-30000"));
  }

  @Test
  public void shouldRunOneProgramWhereTheFrameworkIsStandalone() {
    assertEquals(List.of(), standalone("tony.worker.instances", "1"));
    assertEquals(List.of(), standalone("tony.worker.memory", "1g"));
    assertEquals(
        List.of(),
        standalone(
            "tony.worker.instances", "1",
            "tony.prep.instances", "1",
            "tony.worker.depends-on", "prep",
            "tony.tensorboard.instances", "2"));
    String most =
        "tony.application.framework=standalone is one program, and the job has 2 tasks that run at"
            + " the same time: set tony.application.framework=generic, with tony.{role}.retry-count"
            + " where each is to be started again by itself, or lower their instances to 1";
    assertEquals(List.of(most), standalone("tony.worker.instances", "2"));
    assertEquals(List.of(most), standalone("tony.worker.instances", "1", "tony.ps.instances", "1"));
    assertEquals(
        List.of(most),
        standalone(
            "tony.worker.instances", "1",
            "tony.prep.instances", "2",
            "tony.worker.depends-on", "prep"));
  }

  private static List<String> standalone(String... options) {
    Map<String, String> all =
        new HashMap<>(
            Map.of("tony.application.framework", "standalone", "tony.application.executes", "run"));
    for (int i = 0; i < options.length; i += 2) {
      all.put(options[i], options[i + 1]);
    }
    return JobCheck.of(TonyConfig.builder().layer("job", all).build()).errors();
  }

  @Test
  public void shouldLetTasksJoinOnlyWhereTheFrameworkCanTakeIt() {
    assertEquals(
        Set.of("generic", "pytorch", "ray"),
        Runtimes.load().names().stream()
            .filter(name -> joining(name, "1").isEmpty())
            .collect(Collectors.toSet()));
    assertEquals(
        List.of(
            "tony.elastic.live-resize=true (job) is not for tony.application.framework=horovod:"
                + " its programs cannot run on while tasks leave their gang or join it. Leave it"
                + " out: then all programs start again, from a checkpoint"),
        joining("horovod", "1"));
  }

  @Test
  public void shouldLetTasksJoinOnlyWhereTheGangCanDoWithoutSome() {
    assertEquals(
        List.of(
            "tony.elastic.live-resize=true (job) needs a role with tony.{role}.min-instances below"
                + " its number of tasks: say how few are enough, or leave it out"),
        joining("ray", "2"));
  }

  private static List<String> joining(String framework, String least) {
    TonyConfig config =
        TonyConfig.builder()
            .layer(
                "job",
                Map.of(
                    "tony.worker.instances", "2",
                    "tony.worker.min-instances", least,
                    "tony.containers.command", "true",
                    "tony.application.framework", framework,
                    "tony.elastic.live-resize", "true"))
            .build();
    return JobCheck.of(config).errors();
  }
}
