package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.testing.BuildArtifacts;
import io.tony.testing.FlowFolder;
import io.tony.testing.InstalledJobType;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** {@code tony run --flow}: Azkaban's flow engine, and jobs that this machine runs. */
public class LocalFlowIT {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout timeout = Timeout.seconds(180);

  private Path work;
  private Path local;

  @Before
  public void install() throws IOException {
    work = temporary.newFolder("work").toPath();
    local = work.resolve("local");
    InstalledJobType.install(
        work.resolve("plugins"),
        temporary.newFolder("conf").toString(),
        BuildArtifacts.hadoopJars() + "/*");
  }

  @After
  public void nothingIsLeft() throws IOException {
    for (String place : List.of("work", "staging")) {
      try (Stream<Path> left = Files.list(local.resolve(place))) {
        assertEquals(place, List.of(), left.toList());
      }
    }
  }

  private TonyCommand run(Path flow) throws IOException {
    ProcessBuilder command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            RunFlow.class.getName(),
            "--flow",
            flow.toString(),
            "--plugins",
            work.resolve("plugins").toString(),
            "--work",
            work.toString());
    command.environment().put("TONY_SCHEDULER", "local");
    command.environment().put("TONY_LOCAL", local.toString());
    return TonyCommand.start(command);
  }

  @Test
  public void shouldRunAFlowWithoutACluster() throws Exception {
    FlowFolder flow = FlowFolder.in(temporary.getRoot().toPath().resolve("flow"));
    flow.job(
            "train",
            "type=tony",
            "src_dir=src",
            "executes=bash train.sh",
            "tony.am.memory=256m",
            "tony.worker.instances=2",
            "tony.worker.memory=64m",
            "tony.yarn.queue=ml")
        .job("judge", "type=command", "dependencies=train", "command=echo loss ${tony.output.loss}")
        .file(
            "src/train.sh", "[ $TASK_INDEX = 0 ] || exit 0", "echo loss=0.25 >> $TONY_OUTPUT_FILE");
    try (TonyCommand tony = run(temporary.getRoot().toPath().resolve("flow"))) {
      tony.assertExit(0);
      String text = tony.text();
      assertTrue(text, text.contains("passes over tony.yarn.queue"));
      assertTrue(text, text.contains("judge | loss 0.25"));
    }
  }

  @Test
  public void shouldEndTheJobWithItsFlow() throws Exception {
    FlowFolder flow = FlowFolder.in(temporary.getRoot().toPath().resolve("flow"));
    flow.job(
        "train",
        "type=tony",
        "executes=sleep 600",
        "tony.am.memory=256m",
        "tony.worker.instances=1",
        "tony.worker.memory=64m");
    try (TonyCommand tony = run(temporary.getRoot().toPath().resolve("flow"))) {
      tony.await("1/1 tasks running");
      tony.terminate();
      tony.await("was stopped by a kill in Azkaban (by a person or an SLA)");
      assertEquals(143, tony.exitCode());
    }
  }
}
