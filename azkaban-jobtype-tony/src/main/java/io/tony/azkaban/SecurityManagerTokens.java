package io.tony.azkaban;

import azkaban.utils.Props;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.apache.log4j.Logger;

/**
 * A file of delegation tokens that Azkaban's own HadoopSecurityManager (called manager) fetched for
 * one attempt of a job. The manager is called by reflection, because its class and those of Hadoop
 * and Hive exist only if the administrator puts them on the class path of Azkaban or of its job
 * types.
 *
 * <p>The manager logs all properties of a job, including private ones, at the level INFO. It
 * therefore gets a logger that passes on only warnings and errors.
 */
final class SecurityManagerTokens {

  private static final String MANAGER = "hadoop.security.manager.class";
  private static final String DEFAULT_MANAGER = "azkaban.security.HadoopSecurityManager_H_2_0";

  private final Object manager;
  private final Class<?> type;
  private final ClassLoader resources;
  private final Path file;
  private final String user;
  private final Logger log;

  private SecurityManagerTokens(
      Class<?> type, Object manager, ClassLoader resources, Path file, String user, Logger log) {
    this.type = type;
    this.manager = manager;
    this.resources = resources;
    this.file = file;
    this.user = user;
    this.log = log;
  }

  /**
   * Fetches delegation tokens for HDFS and YARN, and the additional tokens that the job requests.
   *
   * @param system the plugin's private properties; only these may name the manager's class
   * @param request the properties that the manager reads
   * @param user the user for whom the tokens are fetched
   * @param hadoopConf the folder of the configuration of the cluster for which the tokens are valid
   * @param file to be written; must not exist
   * @param jobLog the job's log
   * @return empty if the cluster does not use Kerberos
   * @throws JobFailedException if the manager cannot be loaded or fetches no tokens; the message is
   *     one sentence
   */
  static Optional<SecurityManagerTokens> fetch(
      Props system, Props request, String user, File hadoopConf, Path file, Logger jobLog)
      throws JobFailedException, IOException {
    String name = system.getString(MANAGER, DEFAULT_MANAGER).trim();
    ClassLoader own = SecurityManagerTokens.class.getClassLoader();
    ClassLoader resources = new ClusterFiles(hadoopConf, own);
    Props settings = new Props(system);
    // Older managers read the path of the configuration folder from this property.
    settings.put("hadoop.conf.dir", hadoopConf.getPath());
    try {
      return within(
          resources,
          () -> {
            Class<?> type = Class.forName(name, true, own);
            Object manager = build(type, settings);
            if (!(Boolean) type.getMethod("isHadoopSecurityEnabled").invoke(manager)) {
              return Optional.<SecurityManagerTokens>empty();
            }
            Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Logger log = new WarningsLogger(jobLog);
            type.getMethod("prefetchToken", File.class, Props.class, Logger.class)
                .invoke(manager, file.toFile(), request, log);
            return Optional.of(
                new SecurityManagerTokens(type, manager, resources, file, user, log));
          });
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      throw refusal(name, user, e);
    }
  }

  /**
   * Returns a manager: in older versions of Azkaban the one manager of this JVM, in newer versions
   * a new one.
   */
  private static Object build(Class<?> type, Props settings) throws ReflectiveOperationException {
    try {
      return type.getMethod("getInstance", Props.class).invoke(null, settings);
    } catch (NoSuchMethodException e) {
      return type.getConstructor(Props.class).newInstance(settings);
    }
  }

  Path file() {
    return file;
  }

  /**
   * Lets the manager cancel the kinds of tokens that it also cancels for Azkaban's own job types,
   * which are Hive's tokens. To be called only after the application's end. A failure is only
   * logged.
   */
  void cancel() {
    try {
      within(
          resources,
          () ->
              type.getMethod("cancelTokens", File.class, String.class, Logger.class)
                  .invoke(manager, file.toFile(), user, log));
    } catch (ReflectiveOperationException | IOException | RuntimeException | LinkageError e) {
      log.warn("Tokens of this job were not canceled: " + reason(e));
    }
  }

  /**
   * Class loader in which Hadoop finds the configuration files of one cluster before those on the
   * class path. It is never closed, because a manager may live as long as Azkaban and reads its
   * configuration through this class loader.
   */
  private static final class ClusterFiles extends URLClassLoader {
    ClusterFiles(File folder, ClassLoader parent) throws IOException {
      super(new URL[] {folder.toURI().toURL()}, parent);
    }

    @Override
    public URL getResource(String name) {
      URL own = findResource(name);
      return own == null ? super.getResource(name) : own;
    }
  }

  private interface Call<T> {
    T run() throws ReflectiveOperationException, IOException;
  }

  /**
   * Runs a call with this class loader as the thread's context class loader, through which Hadoop
   * finds its configuration.
   */
  private static <T> T within(ClassLoader resources, Call<T> call)
      throws ReflectiveOperationException, IOException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(resources);
    try {
      return call.run();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static JobFailedException refusal(String name, String user, Throwable e) {
    Throwable cause = e instanceof InvocationTargetException ? e.getCause() : e;
    if (cause instanceof ReflectiveOperationException || cause instanceof LinkageError) {
      return new JobFailedException(
          "Azkaban's "
              + name
              + " ("
              + MANAGER
              + "), which is to take the tokens of "
              + user
              + ", cannot be loaded ("
              + cause
              + "): the administrator adds its jar and those of Hadoop and Hive to Azkaban's class path,"
              + " or names their folder in jobtype.lib.dir, or names a keytab of this machine in"
              + " proxy.keytab.location.");
    }
    return new JobFailedException(
        "Azkaban's "
            + name
            + " took no tokens for "
            + user
            + " ("
            + reason(e)
            + "): the log of the Azkaban executor says more, and docs/security.md what it needs.");
  }

  /**
   * Returns the innermost exception's message, because the manager wraps exceptions several times.
   */
  private static String reason(Throwable e) {
    String reason = e.toString();
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause.getMessage() != null) {
        reason = cause.getMessage();
      }
    }
    return reason.replaceAll("\\s+", " ");
  }
}
