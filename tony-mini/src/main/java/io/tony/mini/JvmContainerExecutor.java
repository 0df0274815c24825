package io.tony.mini;

import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.server.nodemanager.DefaultContainerExecutor;

/**
 * Starts containers as YARN's default executor does, with the cluster's own Java as their
 * JAVA_HOME. YARN would hand on this process's JAVA_HOME, which on a developer's machine is often
 * unset, or another Java than the one that runs here. Public because YARN constructs it by its
 * name.
 */
public final class JvmContainerExecutor extends DefaultContainerExecutor {

  @Override
  protected String getNMEnvVar(String name) {
    return name.equals(Environment.JAVA_HOME.name())
        ? System.getProperty("java.home")
        : super.getNMEnvVar(name);
  }
}
