package io.tony.executor;

import io.tony.container.Staging;
import io.tony.model.Endpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The file in which each ApplicationMaster of a job leaves its address. It is read only when one is
 * lost: until then, an executor has no file system's client in its memory, and not for long then.
 */
final class MasterFile {
  private final Path path;
  private final Configuration conf;

  MasterFile(String uri, Configuration conf) {
    this.path = new Path(uri);
    this.conf = conf;
  }

  /** Takes seconds at most where the file system is out of reach, too: the caller asks again. */
  InetSocketAddress read() throws IOException {
    Configuration impatient = new Configuration(conf);
    impatient.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 1);
    impatient.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 1);
    impatient.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_TIMEOUT_KEY, 5_000);
    impatient.setInt(CommonConfigurationKeys.IPC_CLIENT_RPC_TIMEOUT_KEY, 10_000);
    // The names of HDFS's own, whose classes are not on this program's compile path.
    impatient.setInt("dfs.client.failover.max.attempts", 3);
    impatient.setInt("dfs.client.socket-timeout", 10_000);
    try (FileSystem fs = FileSystem.newInstance(path.toUri(), impatient)) {
      Endpoint address = Staging.readMaster(fs, path);
      return new InetSocketAddress(address.host(), address.port());
    }
  }
}
