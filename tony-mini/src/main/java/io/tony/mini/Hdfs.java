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
 * The HDFS of a cluster: one DataNode and one NameNode, or the NameNodes of {@link
 * HighAvailability}. They run in this JVM in Hadoop's MiniDFSCluster and listen only on 127.0.0.1.
 * Not thread-safe.
 */
final class Hdfs {
  /**
   * Index of the second HDFS's NameNode in {@link HighAvailability#nameNodes}; the two next ones
   * are the indices of the pair of NameNodes.
   */
  private static final int OTHER_HDFS = 0;

  private static final int FIRST_OF_PAIR = 1;
  private static final int SECOND_OF_PAIR = 2;

  private final MiniDFSCluster daemons;
  private final boolean pair;
  private int active;

  private Hdfs(MiniDFSCluster daemons, boolean pair) {
    this.daemons = daemons;
    this.pair = pair;
  }

  /** Formats and starts an HDFS. If this fails, stops all daemons that have been started. */
  static Hdfs start(Configuration settings, ClusterFolder folder) throws IOException {
    Configuration nameNode = new Configuration(settings);
    nameNode.addResource(pagesOf("namenode", folder));
    MiniDFSCluster.Builder builder =
        new MiniDFSCluster.Builder(nameNode, folder.hdfs().toFile())
            .numDataNodes(1)
            .dataNodeConfOverlays(new Configuration[] {pagesOf("datanode", folder)});
    boolean pair = HighAvailability.isEnabled(settings);
    if (pair) {
      builder.nnTopology(HighAvailability.nameNodes(settings));
    }
    Hdfs hdfs = new Hdfs(builder.build(), pair);
    try {
      hdfs.daemons.waitClusterUp();
      if (pair) {
        hdfs.active = FIRST_OF_PAIR;
        hdfs.daemons.transitionToActive(hdfs.active);
        hdfs.createSharedFolders(OTHER_HDFS);
      }
      hdfs.createSharedFolders(hdfs.active);
      return hdfs;
    } catch (IOException | RuntimeException e) {
      hdfs.stop();
      throw e;
    }
  }

  String uri() {
    return pair ? "hdfs://" + HighAvailability.NAME_SERVICE : daemons.getURI().toString();
  }

  /** Returns the address of the active NameNode's web pages. */
  String http() {
    int port = daemons.getNameNode(active).getHttpAddress().getPort();
    return "http://" + DaemonSettings.HOST + ":" + port;
  }

  /**
   * Puts the active one of two NameNodes on standby and makes the other one active.
   *
   * @throws IllegalStateException if there is only one NameNode
   */
  void failOver() throws IOException {
    if (!pair) {
      throw new IllegalStateException("there is one NameNode: start with --ha true");
    }
    daemons.transitionToStandby(active);
    int next = active == FIRST_OF_PAIR ? SECOND_OF_PAIR : FIRST_OF_PAIR;
    daemons.transitionToActive(next);
    active = next;
  }

  void stop() {
    daemons.shutdown();
  }

  /**
   * Returns the setting of the folder for a daemon's web pages. It must be added to the daemon's
   * configuration as a resource: the DataNode inherits the NameNode's configuration, in which a
   * property that was set by name would override the DataNode's own.
   */
  private static Configuration pagesOf(String daemon, ClusterFolder folder) {
    Configuration conf = new Configuration(false);
    conf.set(HttpServer2.HTTP_TEMP_DIR_KEY, folder.pagesOf(daemon).toString());
    return conf;
  }

  /**
   * Creates the folders that an administrator creates in a new HDFS: /tmp, which all users may
   * write to, and the home folder of this JVM's user.
   */
  private void createSharedFolders(int nameNode) throws IOException {
    try (FileSystem fs =
        FileSystem.newInstance(daemons.getURI(nameNode), daemons.getConfiguration(nameNode))) {
      Path tmp = new Path("/tmp");
      fs.mkdirs(tmp);
      fs.setPermission(tmp, new FsPermission("1777"));
      fs.mkdirs(new Path("/user", UserGroupInformation.getCurrentUser().getShortUserName()));
    }
  }
}
