package io.tony.mini;

import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.server.nodemanager.DefaultContainerExecutor;

/**
 * Starts containers as YARN's default executor does, but with this JVM's Java as their JAVA_HOME.
 * YARN would pass on this process's variable JAVA_HOME, which on a developer's machine is often
 * unset or refers to another Java. Public because YARN constructs it by name.
 */
public final class JvmContainerExecutor extends DefaultContainerExecutor {

  @Override
  protected String getNMEnvVar(String name) {
    return name.equals(Environment.JAVA_HOME.name())
        ? System.getProperty("java.home")
        : super.getNMEnvVar(name);
  }
}
