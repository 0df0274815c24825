package io.tony.client.input;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Settings of an Azkaban administrator for the steps of all projects.
 *
 * @param defaults default job options, by key
 * @param folders folders on Azkaban's machine from which all steps may ship files
 * @param fileSystems file systems that steps may name besides the cluster's own
 */
public record SiteSettings(
    Map<String, String> defaults, List<Path> folders, List<String> fileSystems) {
  public static final SiteSettings NONE = new SiteSettings(Map.of(), List.of(), List.of());

  /**
   * A file system: {@code SCHEME://HOST:PORT}, {@code SCHEME://NAME} or <code>SCHEME://*</code>.
   */
  private static final Pattern FILE_SYSTEM =
      Pattern.compile("(?!(?i:file|har):)[A-Za-z][A-Za-z0-9+.-]*://(\\*|[A-Za-z0-9._@:-]+)");

  public SiteSettings {
    defaults = Map.copyOf(defaults);
    folders = List.copyOf(folders);
    fileSystems = List.copyOf(fileSystems);
  }

  /** Returns true if the job type accepts the text as the name of an allowed file system. */
  public static boolean isFileSystem(String name) {
    return FILE_SYSTEM.matcher(name).matches();
  }
}
