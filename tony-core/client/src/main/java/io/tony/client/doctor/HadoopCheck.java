package io.tony.client.doctor;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.VersionInfo;
import org.apache.hadoop.yarn.conf.HAUtil;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.util.YarnVersionInfo;

/**
 * Checks the parts of Hadoop on this machine: the jars, the configuration, and the current user.
 */
final class HadoopCheck {
  /** Versions of Hadoop with which TonY is tested. */
  private static final List<String> TESTED_VERSIONS = List.of("3.3", "3.4", "3.5");

  private HadoopCheck() {}

  static Finding jars() {
    return jars(VersionInfo.getVersion(), YarnVersionInfo.getVersion());
  }

  static Finding jars(String common, String yarn) {
    if (!common.equals(yarn)) {
      return Finding.failed(
          "Hadoop's jars are of two versions: common " + common + ", YARN " + yarn,
          "Let HADOOP_HOME, or TONY_HADOOP_CLASSPATH, name one Hadoop");
    }
    if (common.matches("[012]\\..*|3\\.[012]\\..*")) {
      return Finding.failed(
          "Hadoop " + common + " is too old",
          "TonY runs on Hadoop " + String.join(", ", TESTED_VERSIONS));
    }
    if (TESTED_VERSIONS.stream().noneMatch(version -> common.startsWith(version + "."))) {
      return Finding.warning(
          "Hadoop " + common, "TonY was tested on " + String.join(", ", TESTED_VERSIONS) + " only");
    }
    return Finding.ok("Hadoop " + common);
  }

  /**
   * Checks that Hadoop's configuration, read from the class path, contains the addresses of a
   * cluster.
   */
  static Finding configuration(Configuration conf) {
    List<String> problems = new ArrayList<>();
    for (String file : List.of("core-site.xml", "yarn-site.xml")) {
      if (conf.getResource(file) == null) {
        problems.add("there is no " + file + " on the class path");
      }
    }
    URI fs = FileSystem.getDefaultUri(conf);
    if (fs.getScheme().equals("file")) {
      problems.add("fs.defaultFS is " + fs + ", which no node shares");
    }
    String yarn = resourceManager(conf);
    if (yarn.startsWith("0.0.0.0:")) {
      problems.add("yarn.resourcemanager.hostname is not set");
    }
    if (!problems.isEmpty()) {
      return Finding.failed(
          String.join("; ", problems),
          "Set HADOOP_CONF_DIR to the folder of the cluster's core-site.xml and yarn-site.xml");
    }
    return Finding.ok(folder(conf) + ": HDFS " + fs + ", ResourceManager " + yarn);
  }

  /**
   * Returns the folder of the core-site.xml that the class path contains; its URL if it is in a
   * jar.
   */
  static String folder(Configuration conf) {
    URL found = conf.getResource("core-site.xml");
    if (found == null) {
      return "no core-site.xml";
    }
    return found.getProtocol().equals("file")
        ? Objects.requireNonNull(Path.of(URI.create(found.toString())).getParent()).toString()
        : found.toString();
  }

  /**
   * Returns the ResourceManager's address. With failover, returns the addresses of all
   * ResourceManagers, separated by commas.
   */
  static String resourceManager(Configuration conf) {
    if (!HAUtil.isHAEnabled(conf)) {
      return conf.get(YarnConfiguration.RM_ADDRESS, YarnConfiguration.DEFAULT_RM_ADDRESS);
    }
    List<String> addresses = new ArrayList<>();
    for (String id : HAUtil.getRMHAIds(conf)) {
      String key = HAUtil.addSuffix(YarnConfiguration.RM_ADDRESS, id);
      addresses.add(
          conf.get(key, conf.get(HAUtil.addSuffix(YarnConfiguration.RM_HOSTNAME, id), id)));
    }
    return String.join(", ", addresses);
  }

  static Finding user() throws IOException {
    UserGroupInformation user = UserGroupInformation.getCurrentUser();
    String who = user.getUserName() + " (" + user.getAuthenticationMethod() + ")";
    if (UserGroupInformation.isSecurityEnabled()
        && !user.hasKerberosCredentials()
        && user.getTokens().isEmpty()) {
      return Finding.failed(
          who + " has no Kerberos ticket, and the cluster wants one",
          "Run kinit, or let HADOOP_TOKEN_FILE_LOCATION name a file of tokens");
    }
    return Finding.ok(who);
  }
}
