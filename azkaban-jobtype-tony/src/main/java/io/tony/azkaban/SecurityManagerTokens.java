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
 * A file of delegation tokens that Azkaban's own HadoopSecurityManager fetched for one attempt of a
 * job. The manager is called by reflection: its class, Hadoop's and Hive's are present only if the
 * platform puts them on the class path of Azkaban or of its job types.
 *
 * <p>The manager logs all properties of a job, including the private ones, at INFO. So it gets a
 * logger that passes on only warnings and errors.
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
   * Fetches tokens of HDFS and YARN, and the additional ones that the properties request.
   *
   * @param system the plugin's private properties: only they can name the manager
   * @param request the properties that the manager reads
   * @param hadoopConf the folder of the configuration of the cluster that the tokens are for
   * @param file to be written; must not exist
   * @param jobLog the job's log
   * @return empty if the cluster has no Kerberos
   * @throws JobFailedException if the manager cannot be loaded or fetches no tokens; one sentence
   */
  static Optional<SecurityManagerTokens> fetch(
      Props system, Props request, String user, File hadoopConf, Path file, Logger jobLog)
      throws JobFailedException, IOException {
    String name = system.getString(MANAGER, DEFAULT_MANAGER).trim();
    ClassLoader own = SecurityManagerTokens.class.getClassLoader();
    ClassLoader resources = new ClusterFiles(hadoopConf, own);
    Props settings = new Props(system);
    settings.put("hadoop.conf.dir", hadoopConf.getPath()); // where older managers look
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

  /** Returns a manager. Older managers are one for the whole JVM, newer ones are constructed. */
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
   * Cancels the tokens that the manager cancels for Azkaban's own job types: Hive's. Must be called
   * only after the application's end.
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
   * A class loader for Hadoop's classes that finds one cluster's configuration files before those
   * on the class path. Never closed: a manager may live as long as Azkaban and reads its
   * configuration from here.
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

  /** Runs a call with this context class loader, by which Hadoop finds its configuration. */
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

  /** Returns the innermost message: the manager wraps exceptions several times. */
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
