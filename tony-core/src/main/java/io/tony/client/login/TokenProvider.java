package io.tony.client.login;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.Credentials;

/**
 * Adds tokens of services other than file systems, such as Hive or HBase, to the tokens of a job.
 * On a secure cluster, the client calls every provider that {@link java.util.ServiceLoader} finds
 * on its class path: at the submission, and again before the tokens expire.
 */
public interface TokenProvider {
  /**
   * Obtains tokens as the current user, who is logged in by Kerberos, and adds them to {@code
   * credentials}.
   *
   * @param conf configuration of the cluster
   * @param renewer name of the user who may renew the tokens: YARN's ResourceManager, or this
   *     client's user
   * @param credentials the job's tokens so far; never null
   * @throws IOException if a token cannot be obtained that the job needs; the submission then fails
   */
  void addTokens(Configuration conf, String renewer, Credentials credentials) throws IOException;
}
