package io.tony.executor.hadoop;

import io.tony.container.Staging;
import io.tony.container.local.LocalClusterFolders;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.Path;

/**
 * Reads the file in which each ApplicationMaster of a job writes its address. Called by name,
 * through {@code HadoopCalls}.
 */
public final class AddressReader {
  private AddressReader() {}

  /**
   * Reads the address of the current ApplicationMaster. Fails within seconds if the file system is
   * unreachable, because the caller retries.
   *
   * @param uri URI of the file
   * @param tokens tokens that give access to the file system, in the format of Hadoop's token file
   * @return host and port, in the format of {@code Endpoint}
   */
  public static String read(String uri, byte[] tokens) throws IOException, InterruptedException {
    Path path = new Path(uri);
    return SubmitterFileSystem.runAsSubmitter(
        path.toUri(),
        failFastConfiguration(),
        tokens,
        fs -> Staging.readAddress(fs, path).toString());
  }

  private static Configuration failFastConfiguration() {
    Configuration conf = new Configuration();
    LocalClusterFolders.ofContainer(System.getenv()).ifPresent(here -> here.configure(conf));
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 1);
    conf.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 1);
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_TIMEOUT_KEY, 5_000);
    conf.setInt(CommonConfigurationKeys.IPC_CLIENT_RPC_TIMEOUT_KEY, 10_000);
    // HDFS options by name, because HDFS's classes are not on the compile path.
    conf.setInt("dfs.client.failover.max.attempts", 3);
    conf.setInt("dfs.client.socket-timeout", 10_000);
    return conf;
  }
}
