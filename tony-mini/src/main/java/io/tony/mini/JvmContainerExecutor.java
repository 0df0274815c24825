package io.tony.mini;

import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.server.nodemanager.DefaultContainerExecutor;

/**
 * YARN's default executor of containers, except that the JAVA_HOME of containers is this JVM's
 * Java. YARN would pass on the environment variable JAVA_HOME of this process, which on a
 * developer's machine is often unset or refers to another Java. Public because YARN constructs it
 * by name.
 */
public final class JvmContainerExecutor extends DefaultContainerExecutor {

  @Override
  protected String getNMEnvVar(String name) {
    return name.equals(Environment.JAVA_HOME.name())
        ? System.getProperty("java.home")
        : super.getNMEnvVar(name);
  }
}
