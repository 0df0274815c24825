package io.tony.mini;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.http.HttpServer2;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * A NameNode and a DataNode, out of Hadoop's MiniDFSCluster, whose servers listen on 127.0.0.1
 * only.
 */
final class Hdfs {

  private final MiniDFSCluster daemons;

  private Hdfs(MiniDFSCluster daemons) {
    this.daemons = daemons;
  }

  /** Formats and starts a new HDFS; what has started of one that fails is stopped again. */
  static Hdfs start(Configuration settings, ClusterFolder folder) throws IOException {
    Configuration nameNode = new Configuration(settings);
    nameNode.addResource(pagesOf("namenode", folder));
    Hdfs hdfs =
        new Hdfs(
            new MiniDFSCluster.Builder(nameNode, folder.hdfs().toFile())
                .numDataNodes(1)
                .dataNodeConfOverlays(new Configuration[] {pagesOf("datanode", folder)})
                .build());
    try {
      hdfs.daemons.waitClusterUp();
      hdfs.createSharedFolders();
      return hdfs;
    } catch (IOException | RuntimeException e) {
      hdfs.stop();
      throw e;
    }
  }

  String uri() {
    return daemons.getURI().toString();
  }

  /** Address of the NameNode's pages. */
  String http() {
    return "http://" + DaemonSettings.HOST + ":" + daemons.getNameNode().getHttpAddress().getPort();
  }

  void stop() {
    daemons.shutdown();
  }

  /**
   * To be added as a resource: the DataNode's settings are the NameNode's, and what is set there by
   * name wins.
   */
  private static Configuration pagesOf(String daemon, ClusterFolder folder) {
    Configuration conf = new Configuration(false);
    conf.set(HttpServer2.HTTP_TEMP_DIR_KEY, folder.pagesOf(daemon).toString());
    return conf;
  }

  /** What an administrator creates in a new HDFS: /tmp for all, and the user's home. */
  private void createSharedFolders() throws IOException {
    try (FileSystem fs = FileSystem.newInstance(daemons.getURI(), daemons.getConfiguration(0))) {
      Path tmp = new Path("/tmp");
      fs.mkdirs(tmp);
      fs.setPermission(tmp, new FsPermission("1777"));
      fs.mkdirs(new Path("/user", UserGroupInformation.getCurrentUser().getShortUserName()));
    }
  }
}
