package io.tony.client.login;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.Credentials;

/**
 * Adds tokens that no file system gives, such as those of Hive or HBase, to those of a job. The
 * client calls every provider that Java's {@link java.util.ServiceLoader} finds on its class path,
 * where the cluster is secure: at the submission, and again before the tokens end.
 */
public interface TokenProvider {
  /**
   * Takes them as the current user, who is logged in by Kerberos.
   *
   * @param renewer who may renew them: YARN's ResourceManager, or this client's user
   * @throws IOException when the job cannot do without one that there is not
   */
  void addTokens(Configuration conf, String renewer, Credentials credentials) throws IOException;
}
