package io.tony.azkaban;

import azkaban.utils.Props;
import java.io.File;
import java.io.IOException;

/**
 * The administrator's properties for jobs of all types, from the file {@code common.properties} in
 * the parent of the plugin's folder. Azkaban merges them into each job's properties; the job's own
 * properties take precedence.
 */
final class CommonProperties {

  private static final String FILE = "common.properties";

  private final Props file;

  private CommonProperties(Props file) {
    this.file = file;
  }

  /** Reads the file; a missing file counts as empty. */
  static CommonProperties read(File pluginFolder) throws IOException {
    File path = new File(pluginFolder.getAbsoluteFile().getParentFile(), FILE);
    return new CommonProperties(path.isFile() ? new Props(null, path) : new Props());
  }

  /**
   * Returns true if the job probably inherits the property from {@code common.properties}: the
   * values are equal, or the file's value contains a reference ({@code ${…}}), which cannot be
   * compared. False if the file does not contain the key.
   */
  boolean isDefaultIn(Props job, String key) {
    String raw = file.get(key);
    return raw != null && (raw.contains("${") || raw.equals(job.get(key)));
  }
}
