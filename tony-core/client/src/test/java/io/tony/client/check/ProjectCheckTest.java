package io.tony.client.check;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.Repository;
import io.tony.client.application.ExitCode;
import io.tony.client.check.project.ProjectArchive;
import io.tony.client.input.InvalidJobException;
import io.tony.client.input.SiteSettings;
import io.tony.client.output.JobLog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ProjectCheckTest {
  private static final Path SAMPLES = Repository.path("sample-flows");

  /** What the sample flows are started with. */
  private static final Map<String, String> PARAMETERS =
      Map.of(
          "python", "/usr/bin/python3",
          "shared.dir", "/tmp/shared",
          "checkpoint.dir", "hdfs://namenode/checkpoints",
          "data.dir", "/tmp/data",
          "hdfs.uri", "hdfs://namenode",
          "webhdfs.url", "http://namenode");

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  /** The name of the job type's folder. */
  private Optional<String> type = Optional.empty();

  private ExitCode check(Path project, Map<String, String> parameters) throws Exception {
    return check(project, parameters, SiteSettings.NONE);
  }

  private ExitCode check(Path project, Map<String, String> parameters, SiteSettings site)
      throws Exception {
    JobLog out = new JobLog(printed);
    return new ProjectCheck(new Configuration(), Map.of(), site, type, out)
        .check(project, parameters);
  }

  private String text() {
    return printed.toString(StandardCharsets.UTF_8);
  }

  private Path write(String name, String... lines) throws IOException {
    Path file = temporary.getRoot().toPath().resolve("project").resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, String.join("\n", lines));
  }

  /** A step that is valid as far as these lines go. */
  private Path train(String... lines) throws IOException {
    String valid = "type=tony\nexecutes=true\ntony.worker.instances=1\n";
    return write("train.job", valid + String.join("\n", lines));
  }

  private ExitCode checkWritten() throws Exception {
    Path root = temporary.getRoot().toPath();
    return check(ProjectArchive.zip(root.resolve("project"), root.resolve("p.zip")), Map.of());
  }

  private void assertTold(String... expected) {
    for (String line : expected) {
      assertTrue("'" + line + "' is missing in:\n" + text(), text().contains(line));
    }
  }

  @Test
  public void shouldFindEverySampleFlowValid() throws Exception {
    try (Stream<Path> files = Files.walk(SAMPLES)) {
      List<Path> flows =
          files
              .filter(file -> file.getFileName().toString().equals("train.job"))
              .map(Path::getParent)
              .toList();
      assertTrue(flows.toString(), flows.size() > 10);
      for (Path flow : flows) {
        Path zip = temporary.getRoot().toPath().resolve(flow.getFileName() + ".zip");
        assertEquals(
            flow + "\n" + text(),
            ExitCode.SUCCEEDED,
            check(ProjectArchive.zip(flow, zip), PARAMETERS));
        assertTold("train is valid: ");
        printed.reset();
        Files.delete(zip);
      }
    }
  }

  @Test
  public void shouldTellAllProblemsOfAllSteps() throws Exception {
    write("shared.properties", "type=tony", "tony.worker.instances=2", "src_dir=programs");
    write("a/first.job", "executes=train.py", "tony.worker.memmory=1g", "task_params=${nowhere}");
    write(
        "b/second.job",
        "executes=train.py",
        "python_binary_path=python3",
        "src_dir=src",
        "python_venv=venv.zip",
        "tony.containers.resources=data.csv",
        "tony.worker.memory=much");
    write("b/src/other.py", "pass");
    write("b/third.job", "exceutes=train.py", "src_dir=src");

    assertEquals(ExitCode.INVALID, checkWritten());

    assertTold(
        "first: tony.worker.memmory (job properties) is not an option: did you mean"
            + " tony.worker.memory?",
        "first: src_dir is programs, which is neither a folder nor an archive in the project/a",
        "first: task_params refers to ${nowhere}, which nothing in the project defines.",
        "second: tony.worker.memory=much (job properties): expected a size",
        "second: the job ships venv.zip, which cannot be read in the project/b",
        "second: the job ships data.csv, which cannot be read in the project/b",
        "second: executes names the script train.py, which is not in src_dir the project/b/src",
        "warning: third: exceutes has no effect: did you mean executes?",
        "third: role worker has no command: set executes",
        "problems in ");
    assertFalse(text(), text().contains("is known only when"));
  }

  @Test
  public void shouldWarnOfPropertiesThatDoNothingOrAreSecrets() throws Exception {
    write("shared.properties", "db.password=h1dden", "queue=etl", "out_dir=/x", "key.file=/k");
    train(
        "hadoop-inject.mapreduce.job.queuename=etl",
        "task.env.X=1",
        "env.FOO=1",
        "task_env.DB_PASSWORD=${db.password}");

    assertEquals(text(), ExitCode.SUCCEEDED, checkWritten());

    assertTold(
        "warning: train: task.env.X has no effect: did you mean task_env.X?",
        "warning: train: env.FOO, queue have no effect in a step of type tony: write task_env.FOO"
            + " instead of env.FOO, write tony.yarn.queue instead of queue",
        "warning: train: hadoop-inject.mapreduce.job.queuename has no effect: ",
        "warning: train: db.password, task_env.DB_PASSWORD look like a secret: ");
    assertFalse(text(), text().contains("h1dden"));
    assertEquals(text(), 4, text().lines().filter(line -> line.startsWith("warning")).count());
  }

  @Test
  public void shouldRefuseTheVariablesForWhichTheJobTypeRefusesAStep() throws Exception {
    train("env.KRB5CCNAME=/x", "env.HADOOP_OPTS=-Xmx1g", "env.TZ=UTC", "task_env.JAVA_HOME=/x");

    assertEquals(ExitCode.INVALID, checkWritten());

    assertTold(
        "train: env.HADOOP_OPTS, env.KRB5CCNAME would decide as whom, where or how TonY's client",
        "warning: train: env.TZ has no effect in a step of type tony: write task_env.TZ instead of"
            + " env.TZ\n",
        "1 problem in ");
  }

  @Test
  public void shouldKnowThatAzkabanNamesTheStepAndItsFlow() throws Exception {
    train("tony.checkpoint.scope=step");
    assertEquals(text(), ExitCode.SUCCEEDED, checkWritten());
  }

  @Test
  public void shouldCheckStepsWithTheAdministratorsDefaults() throws Exception {
    Path job = write("train.job", "type=tony", "tony.worker.instances=1");

    assertEquals(ExitCode.INVALID, check(job.getParent(), Map.of()));
    assertEquals(
        ExitCode.SUCCEEDED,
        check(
            job.getParent(),
            Map.of(),
            new SiteSettings(Map.of("tony.application.executes", "true"), List.of(), List.of())));
  }

  @Test
  public void shouldCheckWhatDoesNotDependOnTheRun() throws Exception {
    write("train.job", "type=tony", "dependencies=plan", "tony.yarn.queu=x");
    write("plan.job", "type=command");
    write(
        "tune.job",
        "type=tony",
        "dependencies=plan",
        "tony.worker.instances=${workers}",
        "tony.worker.memory=${memory}",
        "executes=${program}.py --run ${azkaban.flow.execid}",
        "python_venv=venv.zip",
        "tony.worker.vcores=many");

    assertEquals(ExitCode.INVALID, checkWritten());

    assertTold(
        "train: tony.yarn.queu (job properties) is not an option: did you mean tony.yarn.queue?",
        "warning: tune: tony.worker.instances is known only when the job runs: it holds ${workers},"
            + " which a job that it depends on would have to publish",
        "warning: tune: executes is known only when the job runs: it holds ${azkaban.flow.execid},"
            + " which Azkaban sets when the job starts, ${program}, which a job that it depends on",
        "warning: tune: the job ships venv.zip, which cannot be read in the project, unless plan"
            + " makes it",
        "tune: tony.worker.vcores=many (job properties): expected a whole number");
    long problems = text().lines().filter(line -> line.startsWith("tune: ")).count();
    assertEquals(text(), 1, problems);
  }

  @Test
  public void shouldReadTonyXmlBesideTheJobAndFlow20() throws Exception {
    write("flow20.project", "azkaban-flow-version: 2.0");
    write(
        "tony.xml",
        "<configuration><property><name>tony.worker.instances</name><value>2</value></property>",
        "<property><name>tony.ps.instances</name><value>one</value></property></configuration>");
    write(
        "flows/daily.flow",
        "nodes:",
        "  - name: train",
        "    type: tony",
        "    config: {executes: run.sh}");

    assertEquals(ExitCode.INVALID, checkWritten());

    assertTold("train: tony.ps.instances=one (tony.xml): expected a whole number");
  }

  @Test
  public void shouldRefuseAProjectWithoutAStepOfThisType() throws Exception {
    write("train.job", "type=command");

    InvalidJobException e = assertThrows(InvalidJobException.class, this::checkWritten);

    assertTrue(
        e.getMessage(),
        e.getMessage().endsWith("p.zip holds no job of type=tony; its jobs are of type command"));
  }

  @Test
  public void shouldCheckNodesOfTheSameNameInEachFlow() throws Exception {
    write("p.project", "azkaban-flow-version: 2.0");
    String[] good = {
      "nodes:", "- name: train", "  type: tony", "  config: {executes: 'true', x: '1'}"
    };
    write("weekly.flow", good);
    write("daily.flow", String.join("\n", good).replace("x:", "tony.worker.instanses:"));

    assertEquals(ExitCode.INVALID, checkWritten());

    assertTold("daily/train: tony.worker.instanses (job properties) is not an option");
    assertTold("weekly/train is valid");
  }

  @Test
  public void shouldCheckTheStepsOfTheTypeUnderWhichItIsInstalled() throws Exception {
    write("fit.job", "type=TonyJob", "executes=true", "tony.worker.instances=1");
    write("old.job", "type=TensorFlowJob", "dependencies=fit", "executes=true");

    String refused = assertThrows(InvalidJobException.class, this::checkWritten).getMessage();
    assertTrue(
        refused,
        refused.endsWith("holds no job of type=tony; its jobs are of type TensorFlowJob, TonyJob"));
    assertTold("warning: fit is of type=TonyJob, and not checked: give -plugin FOLDER");

    printed.reset();
    type = Optional.of("TonyJob");
    assertEquals(text(), ExitCode.SUCCEEDED, checkWritten());
    assertTold("fit is valid", "warning: old is of type=TensorFlowJob, and not checked");
  }

  @Test
  public void shouldTellWhatAzkabanReadsAsOtherCharacters() throws Exception {
    write("shared.properties", "comment=Zo\u00eb", "plain=a");
    train("task_params=--comment \u5730\u7406", "task_env.OK=\\u5730");

    assertEquals(text(), ExitCode.SUCCEEDED, checkWritten());

    assertTold(
        "warning: shared.properties has comment in UTF-8, which Azkaban reads as ISO 8859-1, so"
            + " that other characters arrive: write each character that is not ASCII as an escape,"
            + " \u00eb as \\u00eb, or use a .flow file (Flow 2.0), which Azkaban reads as UTF-8",
        "warning: train.job has task_params in UTF-8, ",
        "\u5730 as \\u5730");
  }

  @Test
  public void shouldTellAByteOrderMark() throws Exception {
    train("tony.am.memory=1g");
    write("marked.job", "\ufefftask_env.LOST=1", "type=tony", "executes=true");
    assertEquals(ExitCode.INVALID, checkWritten());
    assertTold(
        "marked.job begins with a byte-order mark, which Azkaban takes for the beginning of its"
            + " first key: remove it (save the file as UTF-8 without BOM)");

    write("marked.job", "\ufefftype=tony", "executes=true");
    InvalidJobException e = assertThrows(InvalidJobException.class, this::checkWritten);
    assertTrue(e.problems().get(0), e.problems().get(0).contains("begins with a byte-order mark"));
    assertTrue(e.getMessage(), e.getMessage().contains("marked has no type"));
  }

  @Test
  public void shouldGiveFlow20ItsOwnRemedies() throws Exception {
    write("p.project", "azkaban-flow-version: 2.0");
    write("common.properties", "data.dir=/data");
    write(
        "a.flow",
        "nodes:",
        "- name: train",
        "  type: tony",
        "  config: {task_params: '${data.dir} ${day} ${none}', executes: 'true', none: }");

    assertEquals(ExitCode.INVALID, checkWritten());

    assertTold(
        "a/train: task_params refers to ${data.dir}, which nothing in the flow defines."
            + " common.properties does, but Azkaban reads no .properties files beside .flow files:"
            + " define data.dir in the config of the job or of its flow, a.flow, or, when the flow"
            + " is started with it, give -property data.dir=VALUE",
        "${day}, which nothing in the flow defines. Define day in the config",
        "${none}, which has no value. Write none: '' for an empty text");
  }

  @Test
  public void shouldTellAStepThatSaysWhichStepItIs() throws Exception {
    write("site.properties", "azkaban.flow.flowid=harmless");
    train("azkaban.flow.projectname=payments", "azkaban.flow.start.year=2020");

    assertEquals(ExitCode.INVALID, checkWritten());

    assertTold(
        "train: azkaban.flow.projectname, azkaban.flow.start.year may be set only by Azkaban: remove"
            + " what is not the job's to say");
  }

  @Test
  public void shouldNotPrintASecret() throws Exception {
    write(
        "train.job",
        "type=tony",
        "tony.worker.instances=1",
        "executes=true",
        "tony.password=canary",
        "tony.containers.resources=https://user:canary@host/a$b");

    assertEquals(ExitCode.INVALID, checkWritten());

    assertFalse(text(), text().contains("canary"));
  }

  @Test
  public void shouldTellWhatAzkabanWouldNotLetAStepShip() throws Exception {
    Path elsewhere = temporary.newFolder("elsewhere").toPath().toRealPath();
    Path shared = Files.writeString(elsewhere.resolve("shared.csv"), "1,2");
    Path job = train("tony.containers.resources=" + shared);

    assertEquals(ExitCode.INVALID, check(job.getParent(), Map.of()));
    assertTold("train: the job ships " + shared + ", which leads out of the job's folder");

    SiteSettings allowed = new SiteSettings(Map.of(), List.of(elsewhere), List.of());
    assertEquals(ExitCode.SUCCEEDED, check(job.getParent(), Map.of(), allowed));
  }

  @Test
  public void shouldTellWhichFileSystemsAzkabanWouldNotLetAStepName() throws Exception {
    Path job = train("conf_file=none://there/tony.xml");

    assertEquals(ExitCode.INVALID, check(job.getParent(), Map.of()));
    assertTold("and no cluster is configured: set HADOOP_CONF_DIR");

    printed.reset();
    SiteSettings allowed = new SiteSettings(Map.of(), List.of(), List.of("none://there"));
    assertEquals(ExitCode.INVALID, check(job.getParent(), Map.of(), allowed));
    assertTold("No FileSystem for scheme \"none\"");
  }

  /** Archives hold what links lead to. */
  @Test
  public void shouldTakeWhatLinksInAFolderLeadTo() throws Exception {
    Path shared = temporary.newFolder("elsewhere").toPath().toRealPath();
    Files.writeString(shared.resolve("common.py"), "pass");
    Path job = train("src_dir=src");
    Files.createDirectory(job.resolveSibling("src"));
    Files.createSymbolicLink(job.resolveSibling("src/common.py"), shared.resolve("common.py"));

    assertEquals(text(), ExitCode.SUCCEEDED, check(job.getParent(), Map.of()));
  }

  @Test
  public void shouldNotTakeWhatAStepMayNotShipForWhatAnEarlierOneMakes() throws Exception {
    write("make.job", "type=command", "command=true");
    train("tony.containers.resources=/etc/passwd,made.csv", "dependencies=make");

    assertEquals(ExitCode.INVALID, checkWritten());
    assertTold(
        "train: the job ships /etc/passwd, which leads out of the job's folder",
        "warning: train: the job ships made.csv, which cannot be read in the project, unless make"
            + " makes it");
  }

  @Test
  public void shouldTellAnArchiveThatIsNone() throws Exception {
    write("model.zip", "<html>404</html>");
    train("tony.containers.resources=model.zip::model#archive");

    assertEquals(ExitCode.INVALID, checkWritten());
    assertTold(
        "train: the job ships model.zip, which is not a zip archive or is cut off: make it again");
  }
}
