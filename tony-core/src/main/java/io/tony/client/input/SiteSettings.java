package io.tony.client.input;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What the administrator of an Azkaban has set for the steps of all projects.
 *
 * @param defaults options that a job has when it says nothing itself, by their keys
 * @param folders whose files every job may ship
 * @param fileSystems which others than the cluster's own a job may name
 */
public record SiteSettings(
    Map<String, String> defaults, List<Path> folders, List<String> fileSystems) {
  /** Nothing is set. */
  public static final SiteSettings NONE = new SiteSettings(Map.of(), List.of(), List.of());

  /** {@code SCHEME://HOST:PORT}, {@code SCHEME://NAME} or <code>SCHEME://*</code>. */
  private static final Pattern FILE_SYSTEM =
      Pattern.compile("(?!(?i:file|har):)[A-Za-z][A-Za-z0-9+.-]*://(\\*|[A-Za-z0-9._@:-]+)");

  public SiteSettings {
    defaults = Map.copyOf(defaults);
    folders = List.copyOf(folders);
    fileSystems = List.copyOf(fileSystems);
  }

  /** False for the name of what the job type would refuse as a file system that is allowed. */
  public static boolean isFileSystem(String name) {
    return FILE_SYSTEM.matcher(name).matches();
  }
}
