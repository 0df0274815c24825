package io.tony.azkaban;

import azkaban.utils.Props;
import java.io.File;
import java.net.URISyntaxException;
import java.security.CodeSource;

/** Finds the plugin's folder, which contains the plugin's settings and its jars in {@code lib/}. */
final class PluginFolder {

  private PluginFolder() {}

  /**
   * Returns the folder that Azkaban names in the plugin's private properties or, if there is none,
   * the folder of this class's jar. The job's properties are not used, because the client runs code
   * from this folder.
   *
   * @param system the plugin's private properties
   */
  static File locate(Props system) {
    String named = system.get("plugin.dir");
    return named == null ? folderOfOwnJar() : new File(named);
  }

  private static File folderOfOwnJar() {
    CodeSource source = PluginFolder.class.getProtectionDomain().getCodeSource();
    if (source == null) {
      throw new IllegalStateException("The JVM does not report where the TonY plugin's jar is.");
    }
    try {
      return new File(source.getLocation().toURI()).getAbsoluteFile().getParentFile();
    } catch (URISyntaxException e) {
      throw new IllegalStateException("Not a file: " + source.getLocation(), e);
    }
  }
}
