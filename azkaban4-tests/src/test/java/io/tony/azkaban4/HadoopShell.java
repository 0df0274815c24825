package io.tony.azkaban4;

import java.lang.reflect.Method;
import java.util.Properties;

/**
 * A job of {@code type=hadoopJava}: runs a command of Hadoop's file system shell. Compiled without
 * Hadoop, whose classes Azkaban's job type puts beside it.
 */
public final class HadoopShell {
  private final String[] arguments;

  /** The constructor that Azkaban's job type calls. */
  public HadoopShell(String jobId, Properties properties) {
    arguments = properties.getProperty("shell.arguments").split(" ", -1);
  }

  /** Azkaban's job type calls this, too; an exception fails the job. */
  public void run() throws Exception {
    Class<?> tool = Class.forName("org.apache.hadoop.util.Tool");
    Class<?> configuration = Class.forName("org.apache.hadoop.conf.Configuration");
    Object shell =
        Class.forName("org.apache.hadoop.fs.FsShell")
            .getConstructor(configuration)
            .newInstance(configuration.getConstructor().newInstance());
    Method run =
        Class.forName("org.apache.hadoop.util.ToolRunner").getMethod("run", tool, String[].class);
    int exitCode = (int) run.invoke(null, shell, arguments);
    if (exitCode != 0) {
      throw new IllegalStateException("the file system shell ended with " + exitCode);
    }
  }
}
