package io.tony.client.input;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Settings of an Azkaban administrator for the steps of all projects.
 *
 * @param defaults default options of jobs, by key
 * @param folders folders from which every job may ship files
 * @param fileSystems file systems that a job may name in addition to the cluster's own
 */
public record SiteSettings(
    Map<String, String> defaults, List<Path> folders, List<String> fileSystems) {
  /** No settings. */
  public static final SiteSettings NONE = new SiteSettings(Map.of(), List.of(), List.of());

  /** {@code SCHEME://HOST:PORT}, {@code SCHEME://NAME} or <code>SCHEME://*</code>. */
  private static final Pattern FILE_SYSTEM =
      Pattern.compile("(?!(?i:file|har):)[A-Za-z][A-Za-z0-9+.-]*://(\\*|[A-Za-z0-9._@:-]+)");

  public SiteSettings {
    defaults = Map.copyOf(defaults);
    folders = List.copyOf(folders);
    fileSystems = List.copyOf(fileSystems);
  }

  /** Returns false if the job type would refuse the name as an allowed file system. */
  public static boolean isFileSystem(String name) {
    return FILE_SYSTEM.matcher(name).matches();
  }
}
