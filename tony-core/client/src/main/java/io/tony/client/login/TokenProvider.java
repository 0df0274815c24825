package io.tony.client.login;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.Credentials;

/**
 * Adds tokens for services other than file systems, such as Hive or HBase, to the tokens of a job.
 * To be implemented by users. On a secure cluster, the client calls each provider that {@link
 * java.util.ServiceLoader} finds on the client's class path: at the submission, and again before
 * the tokens expire.
 */
public interface TokenProvider {
  /**
   * Obtains tokens as the current user, who has authenticated by Kerberos, and adds them to {@code
   * credentials}.
   *
   * @param conf configuration of the cluster
   * @param renewer name of the user who may renew the tokens: that of YARN's ResourceManager, or
   *     this client's user
   * @param credentials the job's tokens so far; never null
   * @throws IOException if a token that the job needs cannot be obtained; a submission then fails
   */
  void addTokens(Configuration conf, String renewer, Credentials credentials) throws IOException;
}
