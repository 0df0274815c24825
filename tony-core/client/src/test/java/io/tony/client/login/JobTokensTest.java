package io.tony.client.login;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.input.FileCheck;
import io.tony.client.input.JobFolder;
import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.JobSpec;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Which tokens a job gets. */
public class JobTokensTest {
  private static final String RM = "rm@EXAMPLE.COM";

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private final Configuration conf = new Configuration();

  /** A file system that gives tokens, one for each of its authorities. */
  public static final class TokenFileSystem extends RawLocalFileSystem {
    private URI uri;

    @Override
    public void initialize(URI name, Configuration conf) throws IOException {
      super.initialize(name, conf);
      uri = name;
    }

    @Override
    public String getScheme() {
      return "tokens";
    }

    @Override
    public String getCanonicalServiceName() {
      return uri.getAuthority();
    }

    @Override
    public Token<?> getDelegationToken(String renewer) {
      return token("TOKENS", uri.getAuthority() + " for " + renewer, uri.getAuthority());
    }
  }

  /** Found by its name in META-INF/services. */
  public static final class Metastore implements TokenProvider {
    @Override
    public void addTokens(Configuration conf, String renewer, Credentials credentials) {
      Token<?> token = token("METASTORE", "metastore for " + renewer, "metastore");
      credentials.addToken(token.getService(), token);
    }
  }

  private static Token<TokenIdentifier> token(String kind, String identifier, String service) {
    return new Token<>(
        identifier.getBytes(StandardCharsets.UTF_8),
        new byte[0],
        new Text(kind),
        new Text(service));
  }

  @Before
  public void configure() {
    conf.setClass("fs.tokens.impl", TokenFileSystem.class, TokenFileSystem.class);
    conf.set("fs.defaultFS", "tokens://home");
    conf.set("yarn.resourcemanager.principal", RM);
  }

  private static TonyConfig config() {
    return TonyConfig.builder()
        .layer(
            "test",
            Map.of(
                "tony.worker.instances", "1",
                "tony.application.executes", "train",
                "tony.other.namenodes", "tokens://other",
                "tony.containers.resources", "tokens://files/words.txt",
                "tony.worker.resources", "tokens://of-role/data.zip#archive",
                "tony.application.checkpoint-dir", "tokens://checkpoints/nightly",
                "tony.application.hdfs-classpath", "tokens://jars/lib"))
        .build();
  }

  private static JobSpec job() {
    return JobSpecReader.read(config(), new Problems()).orElseThrow();
  }

  private Set<String> tokensFor(UserGroupInformation user) throws Exception {
    return tokensFor(user, JobFolder.of(Path.of("")));
  }

  private Set<String> tokensFor(UserGroupInformation user, JobFolder folder) throws Exception {
    JobTokens tokens = new JobTokens(conf, config(), job(), folder);
    PrivilegedExceptionAction<Credentials> take = tokens::obtainForApplication;
    return user.doAs(take).getAllTokens().stream()
        .map(token -> new String(token.getIdentifier(), StandardCharsets.UTF_8))
        .collect(Collectors.toSet());
  }

  @Test
  public void shouldTakeOneOfEveryFileSystemThatTheJobNamesAndWhatProvidersAdd() throws Exception {
    String renewer = " for " + RM;
    assertEquals(
        Set.of(
            "home" + renewer,
            "other" + renewer,
            "files" + renewer,
            "of-role" + renewer,
            "checkpoints" + renewer,
            "jars" + renewer,
            "metastore" + renewer),
        tokensFor(UserGroupInformation.createRemoteUser("alice")));
  }

  @Test
  public void shouldKeepThoseThatItWasGiven() throws Exception {
    UserGroupInformation alice = UserGroupInformation.createRemoteUser("alice");
    alice.addToken(token("TOKENS", "given", "home"));
    alice.addToken(token("HBASE", "of a scheduler", "hbase"));
    // YARN renews those of an application, and nobody else would renew this one.
    alice.addToken(token("RM_DELEGATION_TOKEN", "for YARN", "rm"));
    alice.addToken(token("YARN_AM_RM_TOKEN", "of another application", "am"));

    Set<String> tokens = tokensFor(alice);

    assertEquals(tokens.toString(), 9, tokens.size());
    assertEquals(
        Set.of("given", "of a scheduler", "for YARN"),
        tokens.stream().filter(token -> !token.contains(" for ")).collect(Collectors.toSet()));
  }

  /** Azkaban's client may reach more with its own name than a step may with its user's. */
  @Test
  public void shouldTakeNoneOfAFileSystemThatAStepMayNotName() throws Exception {
    Path execution = folder.getRoot().toPath();
    JobFolder step = JobFolder.ofStep(execution, List.of(execution), List.of("tokens://jars"));

    Set<String> tokens = tokensFor(UserGroupInformation.createRemoteUser("alice"), step);

    assertEquals(
        Stream.of("home", "jars", "metastore")
            .map(from -> from + " for " + RM)
            .collect(Collectors.toSet()),
        tokens);

    FileCheck files = new FileCheck(config(), job(), step);
    files.checkRemote(conf);
    assertEquals(files.refusals().toString(), 3, files.refusals().size());
    assertRefused(files, "tokens://other");
    assertRefused(files, "tokens://files/words.txt");
    assertRefused(files, "tokens://of-role/data.zip");
  }

  private static void assertRefused(FileCheck files, String file) {
    assertTrue(
        files.refusals().toString(),
        files.refusals().stream()
            .anyMatch(
                refused ->
                    refused.contains(file + ", which lies on none of the cluster's file systems")));
  }
}
