package io.tony.client.login;

import io.tony.client.input.JobFolder;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.ProgramOptions;
import io.tony.model.FileSpec;
import io.tony.model.JobSpec;
import io.tony.protocol.DelegatedTokens;
import io.tony.protocol.TokenKinds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.client.ClientRMProxy;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.client.util.YarnClientUtils;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.util.ConverterUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Obtains the delegation tokens with which a job's processes act as its user: for every file system
 * that the job names, and from the {@link TokenProvider}s.
 */
public final class JobTokens {
  private static final Logger LOG = LoggerFactory.getLogger(JobTokens.class);

  private final Configuration conf;
  private final TonyConfig config;
  private final JobSpec job;
  private final JobFolder folder;

  /** Creates the object; no tokens are obtained yet. */
  public JobTokens(Configuration conf, TonyConfig config, JobSpec job, JobFolder folder) {
    this.conf = conf;
    this.config = config;
    this.job = job;
    this.folder = folder;
  }

  /**
   * Returns the tokens for a new application, to be renewed by YARN: those that this client was
   * given, and new ones for the rest. A given ResourceManager token is included only so that YARN
   * renews it, because this client cannot.
   *
   * @throws IOException if a token cannot be obtained
   */
  public Credentials obtainForApplication() throws IOException {
    String renewer = YarnClientUtils.getRmPrincipal(conf);
    if (renewer == null) {
      throw new IOException("yarn.resourcemanager.principal is not set: nobody could renew tokens");
    }
    Credentials given = UserGroupInformation.getCurrentUser().getCredentials();
    Credentials all = DelegatedTokens.of(given);
    given
        .getTokenMap()
        .forEach(
            (alias, token) -> {
              if (token.getKind().toString().equals(TokenKinds.RM)) {
                all.addToken(alias, token);
              }
            });
    return addMissing(renewer, all, true);
  }

  /**
   * Returns new tokens for a client that follows a job, including a ResourceManager token, with the
   * current user as renewer. Tokens of file systems that are not available are left out, except of
   * the default one. The current user must have no tokens yet.
   */
  public Credentials obtainForClient() throws IOException, YarnException {
    String self = UserGroupInformation.getCurrentUser().getShortUserName();
    Credentials credentials = addMissing(self, new Credentials(), false);
    Text service = ClientRMProxy.getRMDelegationTokenService(conf);
    try (YarnClient yarn = YarnClient.createYarnClient()) {
      yarn.init(conf);
      yarn.start();
      credentials.addToken(
          service,
          ConverterUtils.convertFromYarn(yarn.getRMDelegationToken(new Text(self)), service));
    }
    return credentials;
  }

  /**
   * Adds tokens for all services that have none in {@code credentials}.
   *
   * @param required whether to throw an exception if a token cannot be obtained
   */
  private Credentials addMissing(String renewer, Credentials credentials, boolean required)
      throws IOException {
    FileSystem.get(conf).addDelegationTokens(renewer, credentials);
    for (Path path : jobPaths()) {
      addFrom(required, path, () -> addFileSystemTokens(path, renewer, credentials));
    }
    // Optional: programs may access the checkpoint folder with credentials of their own.
    String checkpoints = config.find(JobOptions.CHECKPOINT_DIR).orElse("").strip();
    if (hasFileSystem(checkpoints)) {
      addFrom(
          false,
          checkpoints,
          () -> addFileSystemTokens(new Path(checkpoints), renewer, credentials));
    }
    for (TokenProvider provider : ServiceLoader.load(TokenProvider.class)) {
      addFrom(required, provider.getClass(), () -> provider.addTokens(conf, renewer, credentials));
    }
    return credentials;
  }

  private interface TokenAction {
    void add() throws IOException;
  }

  private static void addFrom(boolean required, Object origin, TokenAction source)
      throws IOException {
    try {
      source.add();
    } catch (IOException | RuntimeException | LinkageError e) {
      if (required && e instanceof IOException) {
        throw new IOException("no token of " + origin + ": " + e.getMessage(), e);
      } else if (required) {
        throw e;
      }
      LOG.warn("No token of {}: {}", origin, e.toString());
    }
  }

  /**
   * Adds the tokens of a file system, unless the job may not use it. Azkaban's client must not
   * connect to other servers on behalf of a step.
   */
  private void addFileSystemTokens(Path path, String renewer, Credentials credentials)
      throws IOException {
    if (folder.refusal(path.toUri(), conf).isEmpty()) {
      path.getFileSystem(conf).addDelegationTokens(renewer, credentials);
    }
  }

  /** Returns the paths that the job names on file systems other than the default one. */
  private List<Path> jobPaths() {
    List<String> named = new ArrayList<>(config.get(ClientOptions.OTHER_NAMENODES));
    named.addAll(config.get(ProgramOptions.HDFS_CLASSPATH));
    named.add(config.get(ClientOptions.STAGING_LOCATION));
    named.add(config.get(ClientOptions.HISTORY_LOCATION));
    named.add(config.get(ClientOptions.CACHE_LOCATION));
    Stream.concat(job.files().stream(), job.roles().stream().flatMap(role -> role.files().stream()))
        .filter(FileSpec::isRemote)
        .forEach(file -> named.add(file.source()));
    return named.stream()
        .map(String::strip)
        .filter(JobTokens::hasFileSystem)
        .map(Path::new)
        .toList();
  }

  private static boolean hasFileSystem(String location) {
    return location.contains("://");
  }
}
