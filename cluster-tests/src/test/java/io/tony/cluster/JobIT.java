package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.Test;

/** A job that goes well, from its submission to what it leaves. */
public class JobIT extends ClusterTest {

  @Test
  public void shouldRunEveryTaskAndTellWhatHappened() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes",
            "echo hello from $JOB_NAME $TASK_INDEX",
            "-conf",
            "tony.worker.instances=3")) {
      tony.assertExit(0);

      String application = tony.application();
      for (int i = 0; i < 3; i++) {
        assertEquals("hello from worker " + i + "\n", log(application, "worker:" + i, "stdout"));
      }
      ApplicationReport report = report(application);
      assertEquals(YarnApplicationState.FINISHED, report.getYarnApplicationState());
      assertEquals(FinalApplicationStatus.SUCCEEDED, report.getFinalApplicationStatus());
      assertTrue(tony.text(), tony.lines().get(tony.lines().size() - 1).startsWith("SUCCEEDED"));

      List<JobEvent> events = events(application);
      assertEquals(JobEvent.Type.AM_STARTED, events.get(0).type());
      assertEquals(JobEvent.Type.JOB_FINISHED, events.get(events.size() - 1).type());
      assertEquals(3, events(application, JobEvent.Type.TASK_SUCCEEDED).size());
      int running = indexOf(events, JobEvent.Type.GANG_RUNNING);
      assertTrue(
          "no task starts before all are registered",
          running < indexOf(events, JobEvent.Type.TASK_STARTED));
    }
  }

  private static int indexOf(List<JobEvent> events, JobEvent.Type type) {
    return events.stream().map(JobEvent::type).toList().indexOf(type);
  }

  @Test
  public void shouldDeliverValuesExactlyAsWrittenAndRunNothingOfThem() throws Exception {
    Path trap = folder.getRoot().toPath().resolve("trapped");
    String value =
        "a b  c\t'single' \"double\" $HOME ${PATH} $(touch "
            + trap
            + ") `touch "
            + trap
            + "`; touch "
            + trap
            + "\nsecond line\\ & | > < * ? ! # % ~ äöü 漢字 , = {}";
    write(
        "src/check.py",
        """
        import os, sys
        with open("value.txt", encoding="utf-8") as f:
            expected = f.read()
        for name in ("EXACT", "ROLE_EXACT"):
            got = os.environ[name]
            if got != expected:
                sys.exit("%s is %r, expected %r" % (name, got, expected))
        if sys.argv[1:] != ["two words", "$HOME", "ünï;code"]:
            sys.exit("arguments are %r" % sys.argv[1:])
        """);
    write("src/value.txt", value);
    try (TonyCommand tony =
        submit(
            "-executes", "check.py",
            "-python_binary_path", "python3",
            "-src_dir", "src",
            "-task_params", "'two words' '$HOME' 'ünï;code'",
            "-shell_env", "EXACT=" + value,
            "-conf", "tony.worker.env.ROLE_EXACT=" + value,
            "-conf", "tony.worker.instances=1")) {
      tony.assertExit(0);
    }
    assertFalse("a value was run by a shell", Files.exists(trap));
  }

  @Test
  public void shouldReportProgressAndOutputsAndStatus() throws Exception {
    Path status = folder.getRoot().toPath().resolve("status.properties");
    Path outputs = folder.getRoot().toPath().resolve("outputs.json");
    try (TonyCommand tony =
        submit(
            "-executes",
            "echo 'step 5/10 loss 0.5' > $TONY_PROGRESS_FILE; echo 'model=/models/a b' > $TONY_OUTPUT_FILE",
            "-conf",
            "tony.worker.instances=1",
            "-status_file",
            status.toString(),
            "-output_file",
            outputs.toString(),
            "-events")) {
      tony.assertExit(0);
      assertTrue(tony.text(), tony.text().contains("worker:0: step 5/10 loss 0.5"));
      assertTrue(tony.text(), tony.text().contains("tony-events [{\"v\":1,"));

      String state = Files.readString(status, StandardCharsets.UTF_8);
      assertTrue(state, state.contains("application.id=" + tony.application()));
      assertTrue(state, state.contains("state=SUCCEEDED"));
      assertTrue(state, state.contains("progress=1.0"));

      String json = Files.readString(outputs, StandardCharsets.UTF_8);
      assertTrue(json, json.contains("\"tony.application.id\":\"" + tony.application() + "\""));
      assertTrue(json, json.contains("\"tony.final.status\":\"SUCCEEDED\""));
      assertTrue(json, json.contains("\"tony.output.model\":\"/models/a b\""));
      assertTrue(json, json.contains("\"tony.task.worker.0.log.url\":\"http://127.1.0."));
    }
  }

  @Test
  public void shouldShipFilesArchivesAndFoldersUnderTheirNames() throws Exception {
    write(
        "src/pkg/main.sh",
        "#!/bin/bash\ncat data/inner.txt renamed.txt folder/deep/f.txt only.txt");
    assertTrue(folder.getRoot().toPath().resolve("src/pkg/main.sh").toFile().setExecutable(true));
    write("plain.txt", "plain ");
    write("folder/deep/f.txt", "deep ");
    write("only.txt", "only");
    write(
        "make.py",
        "import zipfile\nzipfile.ZipFile('data.zip','w').writestr('inner.txt','inner ')\n");
    Process python =
        new ProcessBuilder("python3", "make.py").directory(folder.getRoot()).inheritIO().start();
    assertEquals(0, python.waitFor());
    try (TonyCommand tony =
        submit(
            "-executes",
            "pkg/main.sh",
            "-src_dir",
            "src",
            "-conf",
            "tony.containers.resources=data.zip::data#archive,plain.txt::renamed.txt,folder",
            "-conf",
            "tony.worker.resources=only.txt",
            "-conf",
            "tony.worker.instances=1")) {
      tony.assertExit(0);
      assertEquals("inner plain deep only", log(tony.application(), "worker:0", "stdout"));
    }
  }

  @Test
  public void shouldEndWithTheTrackedTasksAndStopTheRest() throws Exception {
    Path go = folder.getRoot().toPath().resolve("go");
    try (TonyCommand tony =
        submit(
            "-conf", "tony.ps.instances=1",
            "-conf", "tony.ps.command=sleep 4242",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.worker.command=until [ -e " + go + " ]; do sleep 0.1; done",
            "-conf", "tony.notebook.instances=1",
            "-conf", "tony.notebook.memory=128m",
            "-conf", "tony.notebook.command=exit 7",
            "-conf", "tony.application.sidecar.roles=notebook")) {
      tony.await("notebook:0 exited with code 7"); // of itself, before the rest is stopped
      write("go", "");
      tony.assertExit(0);
      assertEquals(List.of(), processes("sleep 4242"));
      assertEquals(
          Set.of("ps:0"),
          Set.copyOf(
              events(tony.application(), JobEvent.Type.TASK_STOPPED).stream()
                  .map(event -> event.task().toString())
                  .toList()));
    }
  }

  @Test
  public void shouldTagTheApplicationWithItsOriginAndTheUsersOwnTags() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "true",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.application.tags=nightly,Team-A",
            "-conf", "tony.azkaban.project=recommender",
            "-conf", "tony.azkaban.execution=17",
            "-conf", "tony.azkaban.attempt=0")) {
      tony.assertExit(0);
      assertEquals(
          Set.of(
              "nightly",
              "team-a",
              "azkaban.flow.projectname:recommender",
              "azkaban.flow.execid:17",
              "azkaban.job.attempt:0"),
          report(tony.application()).getApplicationTags());
    }
  }

  @Test
  public void shouldShowAnApplicationAndItsLogsById() throws Exception {
    String application;
    try (TonyCommand tony =
        submit("-executes", "echo the log of the task", "-conf", "tony.worker.instances=1")) {
      tony.assertExit(0);
      application = tony.application();
    }
    try (TonyCommand status = tony("status", application)) {
      status.assertExit(0);
      assertTrue(status.text(), status.text().contains("is FINISHED, final status SUCCEEDED"));
      assertTrue(
          status.text(),
          Pattern.compile("worker:0 SUCCEEDED ([0-9 mhs]+ ago|just now) \\(20")
              .matcher(status.text())
              .find());
    }
    try (TonyCommand logs = tony("logs", application, "worker:0")) {
      logs.assertExit(0);
      assertTrue(logs.text(), logs.text().contains("the log of the task"));
    }
    try (TonyCommand logs = tony("logs", application, "worker:9")) {
      assertEquals(2, logs.exitCode());
      assertTrue(logs.text(), logs.text().contains("it has [worker:0]"));
    }
  }
}
