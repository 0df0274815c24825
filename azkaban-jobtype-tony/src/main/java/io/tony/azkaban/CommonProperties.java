package io.tony.azkaban;

import azkaban.utils.Props;
import java.io.File;
import java.io.IOException;

/**
 * What the administrator sets for the jobs of all types, in the file beside the plugins' folders.
 * Azkaban merges it into each job, below the job's own properties.
 */
final class CommonProperties {

  private static final String FILE = "common.properties";

  private final Props file;

  private CommonProperties(Props file) {
    this.file = file;
  }

  /** Reads the file; a missing one is an empty one. */
  static CommonProperties read(File pluginFolder) throws IOException {
    File path = new File(pluginFolder.getAbsoluteFile().getParentFile(), FILE);
    return new CommonProperties(path.isFile() ? new Props(null, path) : new Props());
  }

  /**
   * True where the job most likely has this from the file: a value with a reference may be both.
   */
  boolean isDefaultIn(Props job, String key) {
    String raw = file.get(key);
    return raw != null && (raw.contains("${") || raw.equals(job.get(key)));
  }
}
