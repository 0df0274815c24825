package io.tony.client.local;

import io.tony.client.submit.SubmissionClient;
import io.tony.container.local.LocalClusterFolders;
import io.tony.container.local.LocalResources;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Supplier;
import org.apache.hadoop.yarn.api.ApplicationClientProtocol;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** A client of YARN whose cluster is this machine. Closing it waits for what it has started. */
public final class LocalYarn extends SubmissionClient {
  private final LocalApplicationService manager;

  /** {@code machine} is asked when a job is checked or submitted. */
  public LocalYarn(LocalClusterFolders folders, Supplier<LocalResources> machine) {
    this.manager = new LocalApplicationService(folders, machine);
  }

  /** Connects to nobody. */
  @Override
  protected void serviceStart() {
    manager.configure(getConfig());
    rmClient =
        (ApplicationClientProtocol)
            Proxy.newProxyInstance(
                ApplicationClientProtocol.class.getClassLoader(),
                new Class<?>[] {ApplicationClientProtocol.class},
                (proxy, call, arguments) -> answer(call, arguments));
  }

  /** By the manager's method of the same name; YARN's protocol has many more. */
  private Object answer(Method call, Object[] arguments) throws Throwable {
    try {
      return LocalApplicationService.class
          .getMethod(call.getName(), call.getParameterTypes())
          .invoke(manager, arguments);
    } catch (NoSuchMethodException e) {
      throw new YarnException("this machine is no cluster: it knows no " + call.getName(), e);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof InterruptedException) {
        throw (IOException) new InterruptedIOException(call.getName()).initCause(e.getCause());
      }
      throw e.getCause();
    }
  }

  @Override
  protected void serviceStop() throws Exception {
    manager.close();
    rmClient = null; // which nobody can disconnect
    super.serviceStop();
  }
}
