package io.tony.client.input;

import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;

/**
 * The Hadoop file systems that a step of Azkaban may use: those in the cluster's configuration, and
 * those that the administrator allows, such as {@code hdfs://namenode:8020}, {@code s3a://bucket},
 * or <code>s3a://*</code> for all of a scheme.
 */
public final class KnownFileSystems {
  private static final String HDFS = "hdfs";
  private static final String HDFS_PORT = ":8020";
  private static final String LOCAL = "file";
  private static final String ANY = "*";

  /**
   * Schemes of Azure's file systems with TLS. The scheme without the final s is for the same file
   * system.
   */
  private static final Pattern AZURE = Pattern.compile("(abfs|wasb)s");

  private final URI defaultUri;
  private final Set<String> names = new HashSet<>();

  KnownFileSystems(Configuration conf, List<String> added) {
    HdfsConfiguration.init(); // hdfs-site.xml is otherwise not read before HDFS is used
    defaultUri = FileSystem.getDefaultUri(conf);
    if (isCluster()) {
      add(defaultUri.getScheme(), defaultUri.getAuthority());
    }
    for (String key : List.of("dfs.nameservices", "dfs.internal.nameservices")) {
      conf.getTrimmedStringCollection(key).forEach(service -> add(HDFS, service));
    }
    // A name service (a name for several NameNodes) has one address per NameNode.
    conf.getPropsWithPrefix("dfs.namenode.rpc-address")
        .values()
        .forEach(nameNode -> add(HDFS, nameNode.strip()));
    added.forEach(this::add);
  }

  private void add(String fileSystem) {
    URI uri = URI.create(fileSystem);
    add(uri.getScheme(), uri.getAuthority());
  }

  private void add(String scheme, String authority) {
    names.add(name(scheme, authority));
  }

  /** Returns the default file system, which contains paths without a scheme. */
  URI defaultUri() {
    return defaultUri;
  }

  /**
   * Returns false if the default file system is this machine's, which means that no cluster is
   * configured.
   */
  boolean isCluster() {
    return !defaultUri.getScheme().equals(LOCAL);
  }

  /** Returns true if the file or folder is on one of these file systems. */
  boolean contains(URI file) {
    String scheme = file.getScheme() == null ? defaultUri.getScheme() : file.getScheme();
    String authority = file.getAuthority();
    if (authority == null && scheme.equalsIgnoreCase(defaultUri.getScheme())) {
      authority = defaultUri.getAuthority();
    }
    return names.contains(name(scheme, authority)) || names.contains(name(scheme, ANY));
  }

  private static String name(String scheme, String authority) {
    String kind = AZURE.matcher(scheme.toLowerCase(Locale.ROOT)).replaceFirst("$1");
    String normalizedAuthority = authority == null ? "" : authority.toLowerCase(Locale.ROOT);
    boolean bare =
        kind.equals(HDFS) && !normalizedAuthority.contains(":") && !normalizedAuthority.equals(ANY);
    return kind + "://" + normalizedAuthority + (bare ? HDFS_PORT : "");
  }
}
