package io.tony.executor.bridge;

import io.tony.executor.settings.ExecutorLog;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The class path from which the executor loads Hadoop: Hadoop's jars and configuration, and TonY's
 * jar. Symbolic links are resolved when an instance is created, before the user's program starts,
 * because the program may remove or replace them.
 */
public final class HadoopClassPath {
  private static final ExecutorLog LOG = new ExecutorLog(HadoopClassPath.class);
  private static final String ALL_JARS = "*";

  /**
   * An entry of the class path.
   *
   * @param jars true if the entry stands for all jars in the folder {@code file}
   */
  private record Entry(File file, boolean jars) {}

  private final List<Entry> entries = new ArrayList<>();

  private HadoopClassPath() {}

  /**
   * Parses the class path of this container; loads no class. Entries that do not exist are left
   * out.
   *
   * @param classPath value of the variable {@code CLASSPATH}; null if it is not set
   */
  public static HadoopClassPath of(@Nullable String classPath) {
    HadoopClassPath made = new HadoopClassPath();
    for (String entry : classPath == null ? new String[0] : classPath.split(File.pathSeparator)) {
      boolean jars = entry.equals(ALL_JARS) || entry.endsWith(File.separator + ALL_JARS);
      File file = new File(jars ? entry.substring(0, entry.length() - 1) : entry);
      // Skip empty entries: they mean the working directory, into which the program writes.
      if (!entry.isEmpty() && file.getAbsoluteFile().exists()) {
        made.add(file, jars);
      }
    }
    return made;
  }

  private void add(File file, boolean jars) {
    try {
      entries.add(new Entry(file.getCanonicalFile(), jars));
    } catch (IOException e) {
      LOG.warn("not on the class path: " + e);
    }
  }

  /** Returns the folders and jars of this class path, without {@code *}. */
  public List<File> files() {
    List<File> all = new ArrayList<>();
    for (Entry entry : entries) {
      File[] files = entry.jars() ? entry.file().listFiles() : new File[] {entry.file()};
      for (File file : files == null ? new File[0] : files) {
        if (!entry.jars() || file.getName().toLowerCase(Locale.ROOT).endsWith(".jar")) {
          all.add(file);
        }
      }
    }
    return all;
  }

  /**
   * Returns a new class loader for this class path. The only classes that it shares with the
   * running executor are the JDK's.
   */
  ClassLoader load() throws MalformedURLException {
    List<URL> urls = new ArrayList<>();
    for (File file : files()) {
      urls.add(file.toURI().toURL());
    }
    return new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
  }

  @Override
  public String toString() {
    return "the class path " + entries;
  }
}
