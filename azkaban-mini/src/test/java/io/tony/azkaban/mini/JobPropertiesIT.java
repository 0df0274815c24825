package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import azkaban.executor.Status;
import io.tony.mini.MiniClusterProcess.Application;
import io.tony.testing.BuildArtifacts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.Test;

/** What is written in a {@code .job} file, by the user or the administrator, and what arrives. */
public class JobPropertiesIT extends ClusterFlowTest {

  @Test
  public void shouldDeliverEveryCharacterAndRunNothing() throws Exception {
    Path trap = root().resolve("trapped");
    String harm = "$(touch " + trap + ") `touch " + trap + "`; touch " + trap + " & ";
    String value =
        " a b  c\t'single' \"double\" $HOME $$ "
            + harm
            + "\nsecond line\r\n\\ \\n | > < * ? ! # % ~ äöü 漢字 🎉 , = {} : ";
    List<String> arguments =
        List.of("two words", "$HOME", harm + "\"", "line\nline", "ünï;code 漢字 🎉", "");
    Properties job = new Properties();
    job.putAll(
        Map.of(
            "type", "tony",
            "tony.am.memory", "256m",
            "tony.worker.memory", "128m",
            "tony.worker.instances", "2",
            "src_dir", "src",
            "executes", "check_values.py",
            "python_binary_path", "python3",
            "task_env.EXACT", value,
            "tony.worker.env.OF_THE_ROLE", value,
            "task_params", "'" + String.join("' '", arguments) + "'"));
    // As Azkaban reads it: in ISO 8859-1, with escapes for all other characters.
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    job.store(text, null);
    Path src =
        files()
            .file("train.job", text.toString(StandardCharsets.ISO_8859_1))
            .folder()
            .resolve("src");
    expect(src, "env/EXACT", value);
    expect(src, "env/OF_THE_ROLE", value);
    for (int i = 0; i < arguments.size(); i++) {
      expect(src, "args/" + i, arguments.get(i));
    }
    Files.copy(
        BuildArtifacts.file("src-test-resources/values/check_values.py"),
        src.resolve("check_values.py"));

    FlowResult result = run(files().folder());

    assertEquals(log("train"), Status.SUCCEEDED, result.status());
    assertFalse("a shell ran a value", Files.exists(trap));
  }

  private static void expect(Path src, String name, String value) throws IOException {
    Path file = src.resolve("expected").resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, value);
  }

  @Test
  public void shouldTakeTheAdministratorsDefaultsUnlessTonyXmlOrTheJobSaysOtherwise()
      throws Exception {
    plugin().set("tony.yarn.queue=nightly", "tony.am.memory=2g");
    Path released = root().resolve("released");
    String job =
        String.join(
            "\n",
            "type=tony",
            "tony.worker.instances=1",
            "tony.worker.memory=1g",
            "executes=until test -e '" + released + "'; do sleep 0.1; done");
    files()
        .job("a/by-default", job)
        .job("b/by-xml", job)
        .file("b/tony.xml", tonyXml("training", "1g"))
        .job("c/by-job", job, "tony.yarn.queue=default", "tony.am.memory=1g")
        .file("c/tony.xml", tonyXml("training", "3g"))
        .job("end", "type=noop", "dependencies=by-default,by-xml,by-job");
    FlowExecution execution = start(files().folder());
    for (String name : List.of("by-default", "by-xml", "by-job")) {
      events.awaitLine(name, "1/1 tasks running");
    }

    Map<String, String> actual =
        Map.of(
            "by-default", placement("by-default"),
            "by-xml", placement("by-xml"),
            "by-job", placement("by-job"));
    Files.createFile(released);

    assertEquals(Status.SUCCEEDED, execution.await().status());
    assertEquals(
        Map.of(
            "by-default", "nightly 2048",
            "by-xml", "training 1024",
            "by-job", "default 1024"),
        actual);
  }

  @Test
  public void shouldCheckAllAndSubmitNothingInADryRun() throws Exception {
    int before = applications();
    files()
        .job("shared", "type=noop")
        .file("dry.properties", "tony.azkaban.dry-run=true")
        .job("good", tony("dependencies=shared", "executes=true", "tony.worker.instances=2"))
        .job("bad", tony("dependencies=shared", "tony.worker.instances=1", "tony.yarn.queue=none"))
        .job("end", "type=noop", "dependencies=good,bad");

    FlowResult result = run(files().folder());

    assertEquals(log("good"), Status.SUCCEEDED, result.job("good").status());
    assertLogged("good", "good is valid: 2 tasks; a dry run submits nothing");
    assertEquals(log("bad"), Status.FAILED, result.job("bad").status());
    assertLogged("bad", "role worker has no command: set executes");
    assertLogged("bad", "queue none does not exist; set tony.yarn.queue to one of");
    assertEquals(before, applications());
  }

  private static String tonyXml(String queue, String masterMemory) {
    return """
        <configuration>
          <property><name>tony.yarn.queue</name><value>%s</value></property>
          <property><name>tony.am.memory</name><value>%s</value></property>
        </configuration>
        """
        .formatted(queue, masterMemory);
  }

  /** The queue, and the MiB of the ApplicationMaster: all but those of the only worker. */
  private String placement(String job) throws IOException, InterruptedException {
    Application application = application(job);
    return application.queue().replace("root.", "") + " " + (application.allocatedMiB() - 1024);
  }
}
