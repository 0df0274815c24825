package io.tony.container;

import java.io.IOException;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.hadoop.security.UserGroupInformation;

/** As whom the processes of an application act in HDFS and YARN: as the user who submitted it. */
public final class Submitter {
  /** Hadoop's own name for it; without Kerberos a client is who it says. */
  private static final String VARIABLE = "HADOOP_USER_NAME";

  /** YARN writes the environment into a shell script, between double quotes. */
  private static final Pattern PLAIN = Pattern.compile("[^\"$`\\\\\\p{Cntrl}]+");

  private Submitter() {}

  /**
   * What a container's environment needs beside its tokens. Without Kerberos the containers' own
   * user is the NodeManager's, or one that all jobs share. With Kerberos the tokens say who acts.
   */
  public static Map<String, String> environment() throws IOException {
    if (UserGroupInformation.isSecurityEnabled()) {
      return Map.of();
    }
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    if (!PLAIN.matcher(user).matches()) {
      throw new IOException(
          "the user '" + user + "' has a name that YARN's shell script would not take as it is");
    }
    return Map.of(VARIABLE, user);
  }
}
