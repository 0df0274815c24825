package io.tony.cluster;

import java.io.File;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.yarn.client.ClientRMProxy;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.client.util.YarnClientUtils;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.util.ConverterUtils;

/**
 * Writes the current user's tokens for HDFS and YARN into a file, as a scheduler does that starts
 * its users' programs with tokens only. A process of its own.
 */
public final class TokenFile {
  private TokenFile() {}

  public static void main(String[] args) throws Exception {
    Configuration conf = new YarnConfiguration();
    Credentials tokens = new Credentials();
    String renewer = YarnClientUtils.getRmPrincipal(conf);
    FileSystem.get(conf).addDelegationTokens(renewer, tokens);
    try (YarnClient yarn = YarnClient.createYarnClient()) {
      yarn.init(conf);
      yarn.start();
      Text service = ClientRMProxy.getRMDelegationTokenService(conf);
      tokens.addToken(
          service,
          ConverterUtils.convertFromYarn(yarn.getRMDelegationToken(new Text(renewer)), service));
    }
    tokens.writeTokenStorageFile(new Path(new File(args[0]).toURI()), conf);
  }
}
