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
 * Selects the properties that Azkaban's HadoopSecurityManager (called manager) gets when it fetches
 * tokens for a job. Their names are those of Azkaban's own Hadoop job types.
 */
final class TokenRequest {

  static final String HCAT = "obtain.hcat.token";

  /** Properties with which a job requests credentials that only the manager can fetch. */
  private static final List<String> EXTRAS =
      Collections.unmodifiableList(
          Arrays.asList(HCAT, "azkaban.job.enable.ssl", "azkaban.enable.oauth"));

  /**
   * Keys that are ignored in a job's properties; only the administrator may set them, in the
   * plugin's private properties. Their values name code to be run, a file's owner, or the service
   * to which Azkaban itself logs in.
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

  /**
   * Returns the keys of the properties with which a job requests credentials besides the tokens of
   * HDFS and YARN.
   */
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
   * Returns the properties for the manager: the job's properties, overridden by the private ones.
   *
   * @param system the plugin's private properties
   * @param user the user for whom tokens are fetched
   * @param allowedFileSystems the file systems that a job may use, besides the cluster's own ones
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
   * Returns those of the job's requested NameNodes that the job may use. Without this limit, a job
   * could make Azkaban log in to any host.
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
