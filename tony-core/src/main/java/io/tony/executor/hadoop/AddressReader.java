package io.tony.executor.hadoop;

import io.tony.container.Staging;
import io.tony.container.Submitter;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;

/** Reads the file in which each ApplicationMaster of a job leaves its address. */
public final class AddressReader {
  private AddressReader() {}

  /**
   * Takes seconds at most where the file system is out of reach, too: the caller asks again.
   *
   * @param uri of the file
   * @param tokens with which to read it, in the format of a token file
   * @return host and port, as {@code Endpoint} writes them
   */
  public static String read(String uri, byte[] tokens) throws IOException, InterruptedException {
    Configuration conf = impatient();
    UserGroupInformation.setConfiguration(conf);
    Credentials credentials = new Credentials();
    credentials.readTokenStorageStream(new DataInputStream(new ByteArrayInputStream(tokens)));
    UserGroupInformation submitter = UserGroupInformation.createRemoteUser(Submitter.name());
    submitter.addCredentials(credentials);
    // Hadoop would look for the container's file of tokens, which is deleted.
    UserGroupInformation.setLoginUser(submitter);
    Path path = new Path(uri);
    return submitter.doAs(
        (PrivilegedExceptionAction<String>)
            () -> {
              try (FileSystem fs = FileSystem.newInstance(path.toUri(), conf)) {
                return Staging.readMaster(fs, path).toString();
              }
            });
  }

  private static Configuration impatient() {
    Configuration conf = new Configuration();
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 1);
    conf.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 1);
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_TIMEOUT_KEY, 5_000);
    conf.setInt(CommonConfigurationKeys.IPC_CLIENT_RPC_TIMEOUT_KEY, 10_000);
    // The names of HDFS's own, whose classes are not on this program's compile path.
    conf.setInt("dfs.client.failover.max.attempts", 3);
    conf.setInt("dfs.client.socket-timeout", 10_000);
    return conf;
  }
}
