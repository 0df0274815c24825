package io.tony.azkaban;

import azkaban.ServiceProvider;
import com.google.inject.Guice;
import com.google.inject.Module;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.log4j.Logger;

/**
 * One version of Azkaban in the test's JVM. Its real JobTypeManager loads the plugin's jar from the
 * plugin's folder: the class path of the tests, which has the same classes, is hidden from it.
 */
enum AzkabanHost {
  AZKABAN_2("2.5.0"),
  AZKABAN_3("3.58.0");

  private final String version;

  AzkabanHost(String version) {
    this.version = version;
  }

  /** Loads the plugin folders and builds the job, as Azkaban's JobRunner does. */
  HostedJob build(Path jobTypes, String jobId, Map<String, String> properties, Logger log)
      throws ReflectiveOperationException {
    ClassLoader loader = loader();
    Class<?> propsClass = loader.loadClass("azkaban.utils.Props");
    Object props = propsClass.getConstructor().newInstance();
    propsClass.getMethod("putAll", Map.class).invoke(props, properties);
    Object manager = manager(loader, propsClass, jobTypes);
    Object job =
        manager
            .getClass()
            .getMethod("buildJobExecutor", String.class, propsClass, Logger.class)
            .invoke(manager, jobId, props, log);
    return new HostedJob(loader.loadClass("azkaban.jobExecutor.Job"), job);
  }

  private Object manager(ClassLoader loader, Class<?> propsClass, Path jobTypes)
      throws ReflectiveOperationException {
    Class<?> managerClass = loader.loadClass("azkaban.jobtype.JobTypeManager");
    if (this == AZKABAN_2) {
      return managerClass
          .getConstructor(String.class, ClassLoader.class)
          .newInstance(jobTypes.toString(), loader);
    }
    // Azkaban's other code asks it for services; the job types of this test need none.
    ServiceProvider.SERVICE_PROVIDER.unsetInjector();
    ServiceProvider.SERVICE_PROVIDER.setInjector(Guice.createInjector(new Module[0]));
    return managerClass
        .getConstructor(String.class, propsClass, ClassLoader.class)
        .newInstance(jobTypes.toString(), propsClass.getConstructor().newInstance(), loader);
  }

  private ClassLoader loader() {
    if (this == AZKABAN_3) {
      return new HidingLoader("io.tony.azkaban.");
    }
    try {
      URL jar = Path.of(System.getProperty("azkaban2.jar")).toUri().toURL();
      return new URLClassLoader(new URL[] {jar}, new HidingLoader("azkaban.", "io.tony.azkaban."));
    } catch (MalformedURLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String toString() {
    return version;
  }

  /** A job as Azkaban sees it. */
  record HostedJob(Class<?> type, Object job) {

    void run() throws Exception {
      call("run");
    }

    void cancel() throws Exception {
      call("cancel");
    }

    double progress() throws Exception {
      return (double) call("getProgress");
    }

    Map<String, String> outputs() throws Exception {
      Map<String, String> outputs = new HashMap<>();
      Object props = call("getJobGeneratedProperties");
      if (props != null) {
        for (Object key : (Set<?>) props.getClass().getMethod("getKeySet").invoke(props)) {
          Object value = props.getClass().getMethod("get", Object.class).invoke(props, key);
          outputs.put((String) key, (String) value);
        }
      }
      return outputs;
    }

    private Object call(String method) throws Exception {
      try {
        return type.getMethod(method).invoke(job);
      } catch (InvocationTargetException e) {
        if (e.getCause() instanceof Exception cause) {
          throw cause;
        }
        throw e;
      }
    }
  }

  private static final class HidingLoader extends ClassLoader {
    private final String[] hidden;

    HidingLoader(String... hidden) {
      super(AzkabanHost.class.getClassLoader());
      this.hidden = hidden;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      for (String prefix : hidden) {
        if (name.startsWith(prefix)) {
          throw new ClassNotFoundException(name);
        }
      }
      return super.loadClass(name, resolve);
    }
  }
}
