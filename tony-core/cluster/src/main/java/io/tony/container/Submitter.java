package io.tony.container;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the processes of an application act in HDFS and YARN as the user who submitted the
 * application, even if the containers run as another operating-system user.
 */
public final class Submitter {
  private static final Logger LOG = LoggerFactory.getLogger(Submitter.class);

  /**
   * Hadoop's environment variable for the user's name; Hadoop trusts it on clusters without
   * Kerberos.
   */
  private static final String HADOOP_USER_VARIABLE = "HADOOP_USER_NAME";

  /**
   * TonY's environment variable for the submitter's name on clusters with Kerberos, where Hadoop
   * ignores its own variable and the tokens prove the identity.
   */
  private static final String SUBMITTER_VARIABLE = "TONY_SUBMITTER";

  /**
   * User names without characters that YARN, or the shell that runs YARN's script, would interpret.
   */
  private static final Pattern PLAIN = Pattern.compile("[^\"$`\\\\{}<>\\p{Cntrl}]+");

  private Submitter() {}

  /**
   * Returns the environment variables from which a container's processes get the submitter's name.
   * The container's operating-system user may be a different one: the NodeManager's, or one that
   * all jobs share.
   */
  public static Map<String, String> environment() throws IOException {
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    if (!PLAIN.matcher(user).matches()) {
      LOG.warn("YARN's script would change the name '{}': containers act as their own user", user);
      return Map.of();
    }
    return Map.of(
        UserGroupInformation.isSecurityEnabled() ? SUBMITTER_VARIABLE : HADOOP_USER_VARIABLE, user);
  }

  /** Returns the submitter's name; to be called in a process of a container. */
  public static String name() {
    String submitter = System.getenv(SUBMITTER_VARIABLE);
    if (submitter != null) {
      return submitter;
    }
    String hadoopUser = System.getenv(HADOOP_USER_VARIABLE);
    return hadoopUser != null ? hadoopUser : System.getProperty("user.name");
  }

  /**
   * Runs {@code work} as the submitter, with the container's tokens; to be called in a process of a
   * container. First deletes the token file: the user's program runs as the same operating-system
   * user and must not get all of the tokens.
   */
  public static <T> T doAsSubmitter(Configuration conf, PrivilegedExceptionAction<T> work)
      throws IOException, InterruptedException {
    // Without this call, Hadoop reads all configuration files a second time.
    UserGroupInformation.setConfiguration(conf);
    UserGroupInformation currentUser = UserGroupInformation.getCurrentUser();
    String tokens = System.getenv(UserGroupInformation.HADOOP_TOKEN_FILE_LOCATION);
    if (tokens != null) {
      delete(Path.of(tokens));
    }
    String submitter =
        System.getenv().getOrDefault(SUBMITTER_VARIABLE, currentUser.getShortUserName());
    return userWithTokens(submitter, currentUser).doAs(work);
  }

  private static void delete(Path tokens) {
    try {
      Files.deleteIfExists(tokens);
    } catch (IOException e) {
      LOG.warn("The user's program can read the tokens of this process: {}", e.toString());
    }
  }

  /**
   * Returns a Hadoop user with the submitter's name, which determines the home folder, and the
   * container's tokens, which determine the permissions.
   */
  private static UserGroupInformation userWithTokens(
      String submitter, UserGroupInformation currentUser) {
    if (submitter.equals(currentUser.getShortUserName())) {
      return currentUser;
    }
    UserGroupInformation user = UserGroupInformation.createRemoteUser(submitter);
    user.addCredentials(currentUser.getCredentials());
    return user;
  }
}
