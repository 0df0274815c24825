package io.tony.azkaban;

import azkaban.utils.Props;
import java.io.File;
import java.io.IOException;

/**
 * The administrator's properties for the jobs of all types, in the file {@code common.properties}
 * beside the plugins' folders. Azkaban merges them into each job; the job's own properties take
 * precedence.
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
   * Returns true if the job probably inherits the property from the file. A file value with a
   * reference ({@code ${…}}) always counts as inherited, because it cannot be compared.
   */
  boolean isDefaultIn(Props job, String key) {
    String raw = file.get(key);
    return raw != null && (raw.contains("${") || raw.equals(job.get(key)));
  }
}
