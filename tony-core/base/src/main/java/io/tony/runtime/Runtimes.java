package io.tony.runtime;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The framework runtimes on the class path, by their names. */
public final class Runtimes {
  private final Map<String, FrameworkRuntime> byName;

  private Runtimes(Map<String, FrameworkRuntime> byName) {
    this.byName = byName;
  }

  public static Runtimes load() {
    Map<String, FrameworkRuntime> byName = new TreeMap<>();
    for (FrameworkRuntime runtime : ServiceLoader.load(FrameworkRuntime.class)) {
      FrameworkRuntime other = byName.put(runtime.name(), runtime);
      if (other != null) {
        throw new IllegalStateException(
            "framework "
                + runtime.name()
                + " is implemented twice: "
                + other.getClass().getName()
                + " and "
                + runtime.getClass().getName());
      }
    }
    return new Runtimes(byName);
  }

  /**
   * Returns the runtime for a value of {@code tony.application.framework}; upper and lower case are
   * equal. Empty if there is none.
   */
  public Optional<FrameworkRuntime> find(String framework) {
    return Optional.ofNullable(byName.get(framework.toLowerCase(Locale.ROOT)));
  }

  /**
   * Returns the runtime of a framework, in the ApplicationMaster. The client has found the runtime
   * before, but the ApplicationMaster's class path may lack it.
   *
   * @throws IllegalStateException if there is no such runtime
   */
  public FrameworkRuntime forMaster(String framework) {
    return find(framework)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "framework "
                        + framework
                        + " is not on the ApplicationMaster's class path, which has "
                        + names()
                        + ": put its jar into the folder that hdfs_classpath names"));
  }

  public SortedSet<String> names() {
    return new TreeSet<>(byName.keySet());
  }
}
