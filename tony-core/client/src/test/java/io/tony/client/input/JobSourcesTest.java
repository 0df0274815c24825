package io.tony.client.input;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.ClientOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.ProgramOptions;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class JobSourcesTest {
  private static final String QUEUE = JobOptions.QUEUE.key();

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path folder;
  private Path confDir;
  private Path jobFile;

  @Before
  public void makeFolders() throws IOException {
    folder = temporary.newFolder("job").toPath();
    confDir = temporary.newFolder("conf").toPath();
    jobFile = temporary.getRoot().toPath().resolve("job.properties");
    xml(confDir.resolve("tony-site.xml"));
  }

  @Test
  public void shouldRefuseASiteFolderWithoutItsFile() throws IOException {
    Files.delete(confDir.resolve("tony-site.xml"));
    InvalidJobException refused = assertThrows(InvalidJobException.class, this::read);
    assertEquals(
        List.of(
            "TONY_CONF_DIR is "
                + confDir
                + ", which has no tony-site.xml that can be read here: set it to the folder of that"
                + " file, or unset it"),
        refused.problems());
  }

  private TonyConfig read(String... args) throws InvalidJobException {
    return read(JobFolder.of(folder), args);
  }

  private TonyConfig read(JobFolder folder, String... args) throws InvalidJobException {
    return JobSources.read(
        Arguments.parse(List.of(args), JobSources.OPTION_NAMES, Set.of()),
        Map.of("TONY_CONF_DIR", confDir.toString()),
        folder,
        new Configuration());
  }

  private static void xml(Path file, String... values) throws IOException {
    StringBuilder text = new StringBuilder("<configuration>");
    for (int i = 0; i < values.length; i += 2) {
      text.append("<property><name>" + values[i] + "</name>");
      text.append("<value>" + values[i + 1] + "</value></property>");
    }
    Files.writeString(file, text.append("</configuration>"));
  }

  private void job(String... values) throws IOException {
    Properties properties = new Properties();
    for (int i = 0; i < values.length; i += 2) {
      properties.setProperty(values[i], values[i + 1]);
    }
    try (Writer writer = Files.newBufferedWriter(jobFile)) {
      properties.store(writer, null);
    }
  }

  @Test
  public void shouldLetEachSourceOverrideTheOnesBelow() throws Exception {
    String file = jobFile.toString();
    assertEquals("default", read().get(JobOptions.QUEUE));

    xml(confDir.resolve("tony-site.xml"), QUEUE, "site");
    assertEquals("site", read().get(JobOptions.QUEUE));

    job("site." + QUEUE, "administrator");
    assertEquals("administrator", read("-job_file", file).get(JobOptions.QUEUE));

    xml(folder.resolve("tony.xml"), QUEUE, "tony.xml");
    assertEquals("tony.xml", read("-job_file", file).get(JobOptions.QUEUE));

    job("site." + QUEUE, "administrator", QUEUE, "job");
    assertEquals("job", read("-job_file", file).get(JobOptions.QUEUE));

    TonyConfig config = read("-job_file", file, "-conf", QUEUE + "=command line");
    assertEquals("command line", config.get(JobOptions.QUEUE));
    assertEquals("command line", config.origin(QUEUE).orElseThrow());
  }

  @Test
  public void shouldAddUpWhatHasManyValues() throws Exception {
    String key = ProgramOptions.EXECUTION_ENVS.key();
    xml(confDir.resolve("tony-site.xml"), key, "A=site");
    xml(folder.resolve("tony.xml"), key, "B=xml");
    job("site." + key, "C=administrator", key, "D=job");

    TonyConfig config = read("-job_file", jobFile.toString(), "-conf", key + "=E=line");

    assertEquals(
        Map.of("A", "site", "B", "xml", "C", "administrator", "D", "job", "E", "line"),
        config.get(ProgramOptions.EXECUTION_ENVS));
  }

  @Test
  public void shouldReadTheConfFileThatIsNamedInsteadOfTheOneInTheFolder() throws Exception {
    xml(folder.resolve("tony.xml"), QUEUE, "of the folder");
    xml(folder.resolve("named.xml"), QUEUE, "named");
    Path elsewhere = temporary.getRoot().toPath().resolve("elsewhere.xml");
    xml(elsewhere, QUEUE, "elsewhere");

    job(ProgramOptions.CONF_FILE.key(), "named.xml ");
    assertEquals("named", read("-job_file", jobFile.toString()).get(JobOptions.QUEUE));
    job(ProgramOptions.CONF_FILE.key(), "");
    assertEquals("of the folder", read("-job_file", jobFile.toString()).get(JobOptions.QUEUE));
    assertEquals(
        "elsewhere",
        read("-job_file", jobFile.toString(), "-conf_file", elsewhere.toUri().toString())
            .get(JobOptions.QUEUE));
  }

  @Test
  public void shouldTakeTheOptionsOfTheCommandLine() throws Exception {
    TonyConfig config =
        read(
            "-executes", "train.py",
            "-task_params", "--data 'two words' $HOME",
            "-shell_env", "TOKEN=a=b, c",
            "-shell_env", "EMPTY=");

    assertEquals("train.py", config.get(ProgramOptions.EXECUTES));
    assertEquals("--data 'two words' $HOME", config.get(ProgramOptions.TASK_PARAMS));
    assertEquals("a=b, c", config.get(ProgramOptions.EXECUTION_ENV.at("TOKEN")));
    assertEquals("", config.get(ProgramOptions.EXECUTION_ENV.at("EMPTY")));
  }

  @Test
  public void shouldReadTheJobFileInUtf8() throws Exception {
    String key = ProgramOptions.EXECUTION_ENV.at("TEXT").key();
    job(key, " $x `id` \"ü漢\"\n\\end ");

    assertEquals(" $x `id` \"ü漢\"\n\\end ", read("-job_file", jobFile.toString()).asMap().get(key));
  }

  @Test
  public void shouldTellAllProblemsOfAllSourcesTogether() throws IOException {
    Files.writeString(confDir.resolve("tony-site.xml"), "<configuration>");
    Path missing = temporary.getRoot().toPath().resolve("missing");

    InvalidJobException e =
        assertThrows(
            InvalidJobException.class,
            () ->
                read(
                    "-job_file", missing.toString(),
                    "-conf_file", "none.xml",
                    "-conf", "no pair",
                    "-shell_env", "=x"));

    assertEquals(e.getMessage(), 5, e.problems().size());
    assertTrue(e.problems().get(0), e.problems().get(0).startsWith("the job file " + missing));
    assertEquals("-shell_env =x is not NAME=VALUE", e.problems().get(1));
    assertEquals("-conf no pair is not NAME=VALUE", e.problems().get(2));
    assertTrue(e.problems().get(3), e.problems().get(3).contains("tony-site.xml cannot be read"));
    assertTrue(e.problems().get(4), e.problems().get(4).startsWith("none.xml cannot be read"));
  }

  private List<String> refused(String... args) throws IOException {
    JobFolder confined = JobFolder.ofStep(folder, List.of(folder), List.of());
    return assertThrows(InvalidJobException.class, () -> read(confined, args)).problems();
  }

  @Test
  public void shouldNotReadAFileThatIsNotTheJobs() throws IOException {
    Path elsewhere = confDir.resolve("tony.xml");
    xml(elsewhere, "tony.worker.instances", "1");
    Files.createSymbolicLink(folder.resolve("tony.xml"), elsewhere);

    for (String[] args :
        List.of(
            new String[] {},
            new String[] {"-conf_file", elsewhere.toString()},
            new String[] {"-conf_file", "file://" + elsewhere})) {
      List<String> problems = refused(args);
      assertEquals(problems.toString(), 1, problems.size());
      assertTrue(problems.get(0), problems.get(0).contains("leads out of the job's folder"));
    }
  }

  @Test
  public void shouldLeaveTheClusterAndTheStepsNameToTheAdministrator()
      throws IOException, InvalidJobException {
    String yarn = "tony.application.yarn-conf-path";
    job(
        "site.tony.application.hdfs-conf-path",
        "/plugin/hdfs-site.xml",
        yarn,
        "mine.xml",
        "azkaban.flow.execid",
        "12",
        "azkaban.job.attempt",
        "1",
        "tony.azkaban.attempt",
        "7");
    Files.writeString(
        folder.resolve("tony.xml"),
        "<configuration><property><name>tony.azkaban.execution</name><value>11</value>"
            + "<final>true</final></property><property><name>tony.application.hdfs-conf-path"
            + "</name><value>mine.xml</value></property></configuration>");

    TonyConfig step =
        read(JobFolder.ofStep(folder, List.of(folder), List.of()), "-job_file", jobFile.toString());

    assertEquals(Optional.of("/plugin/hdfs-site.xml"), step.find(ClientOptions.HDFS_CONF_PATH));
    assertEquals(Optional.empty(), step.find(ClientOptions.YARN_CONF_PATH));
    assertEquals(Optional.of("12"), step.find(AzkabanOptions.EXECUTION));
    assertEquals(1, (int) step.get(AzkabanOptions.ATTEMPT));
    assertEquals(
        List.of(
            new TonyConfig.OverriddenValue(
                "tony.application.hdfs-conf-path", "tony.xml", "plugin.properties"),
            new TonyConfig.OverriddenValue("tony.azkaban.execution", "tony.xml", "Azkaban"),
            new TonyConfig.OverriddenValue(yarn, "job properties", "plugin.properties")),
        step.overriddenValues().stream()
            .sorted(Comparator.comparing(TonyConfig.OverriddenValue::key))
            .sorted(Comparator.comparing(one -> one.key().equals(yarn)))
            .toList());
    assertEquals(
        Optional.of("mine.xml"),
        read("-job_file", jobFile.toString()).find(ClientOptions.YARN_CONF_PATH));
  }

  @Test
  public void shouldEndWhatNobodyAsksForInAzkaban() throws Exception {
    job("tony.yarn.queue", "training");
    JobFolder azkabans = JobFolder.ofStep(folder, List.of(folder), List.of());
    String[] args = {"-job_file", jobFile.toString()};
    assertEquals(Duration.ofMinutes(30), read(azkabans, args).get(JobOptions.CLIENT_LOST_TIMEOUT));
    assertEquals(Duration.ZERO, read(args).get(JobOptions.CLIENT_LOST_TIMEOUT));

    job("site.tony.application.client-lost-timeout", "0");
    assertEquals(Duration.ZERO, read(azkabans, args).get(JobOptions.CLIENT_LOST_TIMEOUT));
  }

  @Test
  public void shouldReadWhatCanBeReadOfAJobThatWasSubmitted() throws Exception {
    Files.writeString(folder.resolve("tony.xml"), "not XML any more");
    job("tony.staging.location", "/staging");

    TonyConfig config =
        JobSources.readLeniently(
            Arguments.parse(
                List.of("-job_file", jobFile.toString()), JobSources.OPTION_NAMES, Set.of()),
            Map.of(),
            JobFolder.of(folder),
            new Configuration());

    assertEquals("/staging", config.get(ClientOptions.STAGING_LOCATION));
    assertThrows(InvalidJobException.class, () -> read("-job_file", jobFile.toString()));
  }
}
