package io.tony.azkaban;

import azkaban.utils.Props;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The properties that Azkaban's HadoopSecurityManager gets for a token request, under the names of
 * Azkaban's own Hadoop job types.
 */
final class TokenRequest {

  static final String HCAT = "obtain.hcat.token";

  /** Properties with which a job requests credentials that only the manager can fetch. */
  private static final List<String> EXTRAS =
      Collections.unmodifiableList(
          Arrays.asList(HCAT, "azkaban.job.enable.ssl", "azkaban.enable.oauth"));

  /**
   * Properties that name code to run, a file's owner, or the target of Azkaban's own login. They
   * are taken from the private properties only.
   */
  private static final Set<String> ADMINISTRATORS =
      Collections.unmodifiableSet(
          new HashSet<>(
              Arrays.asList(
                  "hadoop.security.manager.class",
                  "azkaban.security.credential",
                  "azkaban.oauth.credential",
                  "azkaban.security.user.group",
                  "azkaban.native.lib",
                  "domain.name",
                  "other_hcat_location",
                  "azkaban.job.hive.other_hcat_clusters",
                  "proxy.user",
                  "proxy.keytab.location")));

  private static final String OTHER_NAMENODES = "other_namenodes";

  private TokenRequest() {}

  /** Returns the properties with which a job requests more than tokens of HDFS and YARN. */
  static Set<String> extrasOf(Props job) {
    Set<String> extras = new TreeSet<>();
    for (String key : EXTRAS) {
      if (job.getString(key, "").trim().equalsIgnoreCase("true")) {
        extras.add(key);
      }
    }
    return extras;
  }

  /**
   * Returns the properties that the manager reads: the job's, overridden by the private ones.
   *
   * @param allowedFileSystems the file systems besides the cluster's own that a job may use
   */
  static Props properties(Props system, Props job, String user, List<String> allowedFileSystems) {
    Props request = new Props();
    for (String key : job.getKeySet()) {
      if (job.get(key) != null && !ADMINISTRATORS.contains(key)) {
        request.put(key, job.get(key));
      }
    }
    request.put(OTHER_NAMENODES, String.join(",", namenodes(job, allowedFileSystems)));
    for (String key : system.getKeySet()) {
      if (system.get(key) != null) {
        request.put(key, system.get(key));
      }
    }
    request.put("user.to.proxy", user);
    request.put("obtain.namenode.token", "true");
    request.put("obtain.jobtracker.token", "true");
    return request;
  }

  /**
   * Returns the name nodes that the job requests and may use, so that a job cannot send Azkaban's
   * login to other hosts.
   */
  private static List<String> namenodes(Props job, List<String> allowed) {
    List<String> namenodes = new ArrayList<>();
    String named = job.getString("tony.other.namenodes", job.getString(OTHER_NAMENODES, ""));
    for (String name : named.split(",", -1)) {
      if (isAllowed(name.trim(), allowed)) {
        namenodes.add(name.trim());
      }
    }
    return namenodes;
  }

  private static boolean isAllowed(String name, List<String> allowed) {
    try {
      URI uri = URI.create(name);
      return allowed.contains(uri.getScheme() + "://" + uri.getAuthority())
          || allowed.contains(uri.getScheme() + "://*");
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
