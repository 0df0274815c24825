package io.tony.client.login;

import io.tony.client.input.JobFolder;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.ProgramOptions;
import io.tony.config.declared.TaskOptions;
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
 * Obtains the delegation tokens with which a job's processes, or its client, act as the job's user.
 * There are tokens for the default file system, the other file systems that the job names, the
 * checkpoint folder (if possible), and the services of the {@link TokenProvider}s.
 */
public final class JobTokens {
  private static final Logger LOG = LoggerFactory.getLogger(JobTokens.class);

  private final Configuration conf;
  private final TonyConfig config;
  private final JobSpec job;
  private final JobFolder folder;

  /** Creates the object without obtaining any tokens. */
  public JobTokens(Configuration conf, TonyConfig config, JobSpec job, JobFolder folder) {
    this.conf = conf;
    this.config = config;
    this.job = job;
    this.folder = folder;
  }

  /**
   * Returns the tokens to submit with a new application: the tokens of the current user, and new
   * tokens for services for which the user has none. The ResourceManager renews them. If the user
   * has a ResourceManager token, it is included so that the ResourceManager renews it, because this
   * client cannot.
   *
   * @throws IOException if a required token cannot be obtained
   */
  public Credentials obtainForApplication() throws IOException {
    String renewer = YarnClientUtils.getRmPrincipal(conf);
    if (renewer == null) {
      throw new IOException("yarn.resourcemanager.principal is not set: no one could renew tokens");
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
   * Returns new tokens, including a ResourceManager token, for a client that follows a job. The
   * current user can renew them, and must have no tokens yet. Only tokens for the default file
   * system and the ResourceManager are required; others are left out if they cannot be obtained.
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
   * Adds tokens for the job's services that have none in {@code credentials}, and returns {@code
   * credentials}.
   *
   * @param renewer name of the user who may renew the new tokens
   * @param required whether to throw an exception if the token of a file system or provider cannot
   *     be obtained; those of the default file system are always required, those of the checkpoint
   *     folder never
   */
  private Credentials addMissing(String renewer, Credentials credentials, boolean required)
      throws IOException {
    FileSystem.get(conf).addDelegationTokens(renewer, credentials);
    for (Path path : jobPaths()) {
      addFrom(required, path, () -> addFileSystemTokens(path, renewer, credentials));
    }
    // Never required: the user's program may access the checkpoint folder with other credentials.
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
   * Adds the tokens of a file system. Does nothing if the job may not use the file system, because
   * Azkaban's client must not connect to arbitrary servers for a step.
   */
  private void addFileSystemTokens(Path path, String renewer, Credentials credentials)
      throws IOException {
    if (folder.refusal(path.toUri(), conf).isEmpty()) {
      path.getFileSystem(conf).addDelegationTokens(renewer, credentials);
    }
  }

  /**
   * Returns the paths in the job's options and files that contain a file system's URI, such as
   * {@code hdfs://…}.
   */
  private List<Path> jobPaths() {
    List<String> named = new ArrayList<>(config.get(ClientOptions.OTHER_NAMENODES));
    named.addAll(config.get(ProgramOptions.HDFS_CLASSPATH));
    config.find(TaskOptions.JAVA_ARCHIVE).ifPresent(named::add);
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
