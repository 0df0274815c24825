package io.tony.executor.hadoop;

import io.tony.container.Staging;
import io.tony.container.local.LocalClusterFolders;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.Path;

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
    Path path = new Path(uri);
    return SubmitterFileSystem.runAsSubmitter(
        path.toUri(),
        failFastConfiguration(),
        tokens,
        fs -> Staging.readMaster(fs, path).toString());
  }

  private static Configuration failFastConfiguration() {
    Configuration conf = new Configuration();
    LocalClusterFolders.ofContainer(System.getenv()).ifPresent(here -> here.configure(conf));
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
