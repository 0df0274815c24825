package io.tony.am.scheduler;

import static org.junit.Assert.assertEquals;

import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.container.Staging;
import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.JobKey;
import io.tony.protocol.TonyToken;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The form with which an executor's container is started; Docker itself is not run here. */
public class ExecutorLaunchTest {
  private static final String CONTAINER = "container_1700000000000_0001_01_000002";

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** The environment that YARN gives to the executor of a task of one of two roles. */
  private Map<String, String> environment(String role, Map<String, String> more)
      throws IOException {
    return context(role, more, UserGroupInformation.createRemoteUser("alice")).getEnvironment();
  }

  private String inFolder(String path) {
    return "file:" + folder.getRoot() + "/" + path;
  }

  private ContainerLaunchContext context(
      String role, Map<String, String> more, UserGroupInformation own) throws IOException {
    Map<String, String> values = new HashMap<>(more);
    values.put("tony.worker.instances", "1");
    values.put("tony.evaluator.instances", "1");
    values.put("tony.application.executes", "train");
    Configuration conf = new Configuration();
    FileSystem fs = FileSystem.getLocal(conf);
    values.putIfAbsent("tony.application.jar", inFolder("cache/tony-core.jar"));
    fs.create(new Path(values.get("tony.application.jar"))).close();
    TonyConfig config = TonyConfig.builder().layer("test", values).build();
    Problems problems = new Problems();
    JobSpec job =
        JobSpecReader.read(config, problems)
            .orElseThrow(() -> new AssertionError(problems.toString()));
    Staging staging =
        new Staging(fs, folder.getRoot().toString(), "application_1700000000000_0001");
    InetSocketAddress master = InetSocketAddress.createUnresolved("master", 1234);
    JobKey jobKey = JobKey.random("application_1700000000000_0001");
    return new ExecutorLaunch(conf, config, job, staging, master, own, jobKey)
        .context(new TaskKey(new TaskId(role, 0), 0, CONTAINER), "node");
  }

  private LocalResourceVisibility visibilityOfTheProgram(String jar) throws IOException {
    Map<String, String> at = Map.of("tony.application.jar", inFolder(jar));
    UserGroupInformation alice = UserGroupInformation.createRemoteUser("alice");
    return context("worker", at, alice).getLocalResources().get("tony-core.jar").getVisibility();
  }

  @Test
  public void shouldLetANodeKeepTheProgramUnlessTheJobHasItToItself() throws IOException {
    assertEquals(
        LocalResourceVisibility.PRIVATE, visibilityOfTheProgram("cache/0123/tony-core.jar"));
    assertEquals(
        LocalResourceVisibility.APPLICATION,
        visibilityOfTheProgram("application_1700000000000_0001/tony-core.jar"));
  }

  @Test
  public void shouldAskTheNodeForDockerByTheVariablesThatYarnDocuments() throws IOException {
    Map<String, String> docker =
        Map.of(
            "tony.docker.enabled", "true",
            "tony.docker.containers.image", "registry.example.com:5000/ml/torch:2.3",
            "tony.docker.evaluator.image", "ml/eval",
            "tony.docker.containers.mount", "/etc/passwd:/etc/passwd:ro,/data:/mnt/data:rw");

    Map<String, String> worker = new HashMap<>(environment("worker", Map.of()));
    worker.put("YARN_CONTAINER_RUNTIME_TYPE", "docker");
    worker.put("YARN_CONTAINER_RUNTIME_DOCKER_IMAGE", "registry.example.com:5000/ml/torch:2.3");
    worker.put(
        "YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS", "/etc/passwd:/etc/passwd:ro,/data:/mnt/data:rw");
    assertEquals(worker, environment("worker", docker));

    assertEquals(
        "ml/eval", environment("evaluator", docker).get("YARN_CONTAINER_RUNTIME_DOCKER_IMAGE"));
  }

  @Test
  public void shouldHandOverTheUsersTokensAndNoneOfTheMasters() throws IOException {
    UserGroupInformation own = UserGroupInformation.createRemoteUser("alice");
    for (String kind :
        List.of("HDFS_DELEGATION_TOKEN", "YARN_AM_RM_TOKEN", "RM_DELEGATION_TOKEN", "HIVE")) {
      own.addToken(token(kind));
    }
    Credentials keys = new Credentials();
    keys.addSecretKey(new Text("keystore of the site"), new byte[] {1});
    JobKey.random("application_1_0001").putInto(keys);
    own.addCredentials(keys);

    Credentials theirs = new Credentials();
    theirs.readTokenStorageStream(
        new DataInputStream(
            new ByteArrayInputStream(context("worker", Map.of(), own).getTokens().array())));

    assertEquals(
        Set.of("HDFS_DELEGATION_TOKEN", "HIVE", TonyToken.KIND.toString()),
        theirs.getAllTokens().stream()
            .map(token -> token.getKind().toString())
            .collect(Collectors.toSet()));
    assertEquals(Set.of(new Text("keystore of the site")), theirs.getSecretKeyMap().keySet());
  }

  private static Token<TokenIdentifier> token(String kind) {
    return new Token<>(new byte[0], new byte[0], new Text(kind), new Text("of " + kind));
  }

  @Test
  public void shouldLetASidecarIdle() throws IOException {
    Map<String, String> limited =
        Map.of(
            "tony.task.hang-timeout-ms", "5000",
            "tony.application.sidecar.roles", "evaluator");

    assertEquals("5000", environment("worker", limited).get("TONY_EXECUTOR_HANG_MS"));
    assertEquals("0", environment("evaluator", limited).get("TONY_EXECUTOR_HANG_MS"));
  }

  @Test
  public void shouldNotMentionDockerWhereItIsNotEnabled() throws IOException {
    Map<String, String> environment =
        environment(
            "worker",
            Map.of(
                "tony.docker.worker.image",
                "ml/torch",
                "tony.docker.containers.mount",
                "/a:/b:ro"));

    assertEquals(environment("worker", Map.of()), environment);
    assertEquals(0, environment.keySet().stream().filter(name -> name.startsWith("YARN_")).count());
  }
}
