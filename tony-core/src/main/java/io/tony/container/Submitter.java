package io.tony.container;

import java.io.IOException;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** As whom the processes of an application act in HDFS and YARN: as the user who submitted it. */
public final class Submitter {
  private static final Logger LOG = LoggerFactory.getLogger(Submitter.class);

  /** Hadoop's own name for it; without Kerberos a client is who it says. */
  private static final String VARIABLE = "HADOOP_USER_NAME";

  /** Nothing that YARN, or the shell whose script it writes, would act upon. */
  private static final Pattern PLAIN = Pattern.compile("[^\"$`\\\\{}<>\\p{Cntrl}]+");

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
      LOG.warn("YARN's script would change the name '{}': containers act as their own user", user);
      return Map.of();
    }
    return Map.of(VARIABLE, user);
  }
}
