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
 * Makes an application's processes act in HDFS and YARN as the user who submitted the application.
 */
public final class Submitter {
  private static final Logger LOG = LoggerFactory.getLogger(Submitter.class);

  /** Hadoop's variable for the user's name, which Hadoop trusts without Kerberos. */
  private static final String HADOOP_USER_VARIABLE = "HADOOP_USER_NAME";

  /**
   * TonY's variable for clusters with Kerberos, where Hadoop ignores its own and the tokens prove
   * the identity.
   */
  private static final String SUBMITTER_VARIABLE = "TONY_SUBMITTER";

  /**
   * User names without characters that YARN, or the shell that runs its script, would interpret.
   */
  private static final Pattern PLAIN = Pattern.compile("[^\"$`\\\\{}<>\\p{Cntrl}]+");

  private Submitter() {}

  /**
   * Returns the variables that a container needs in addition to its tokens. The container's
   * operating-system user may be the NodeManager's, or one that all jobs share.
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

  /** Returns the name of the submitter, in a process of the container. */
  public static String name() {
    String submitter = System.getenv(SUBMITTER_VARIABLE);
    if (submitter != null) {
      return submitter;
    }
    String hadoopUser = System.getenv(HADOOP_USER_VARIABLE);
    return hadoopUser != null ? hadoopUser : System.getProperty("user.name");
  }

  /**
   * Runs a container's process as the submitter, with the container's tokens. Deletes the token
   * file first: the user's program has the same operating-system user, and must not have all of the
   * tokens.
   */
  public static <T> T doAsSubmitter(Configuration conf, PrivilegedExceptionAction<T> work)
      throws IOException, InterruptedException {
    // Otherwise Hadoop reads all configuration files a second time.
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
   * Returns the submitter with the container's tokens. The name determines the home folder, the
   * tokens determine the permissions.
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
