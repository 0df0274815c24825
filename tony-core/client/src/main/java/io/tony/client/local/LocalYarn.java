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

/**
 * A YARN client whose cluster is this machine. {@link #close} waits for the ApplicationMasters that
 * this client has started.
 */
public final class LocalYarn extends SubmissionClient {
  private final LocalApplicationService service;

  /**
   * Creates a client.
   *
   * @param machine returns the resources of this machine; called only when a job is checked or
   *     submitted
   */
  public LocalYarn(LocalClusterFolders folders, Supplier<LocalResources> machine) {
    this.service = new LocalApplicationService(folders, machine, this::getConfig);
  }

  /** Makes all requests go to a {@link LocalApplicationService} instead of a ResourceManager. */
  @Override
  protected void serviceStart() {
    rmClient =
        (ApplicationClientProtocol)
            Proxy.newProxyInstance(
                ApplicationClientProtocol.class.getClassLoader(),
                new Class<?>[] {ApplicationClientProtocol.class},
                (proxy, call, arguments) -> answer(call, arguments));
  }

  /**
   * Answers a request by the {@link LocalApplicationService}'s method with the same signature.
   * Throws a {@link YarnException} if there is none.
   */
  private Object answer(Method call, Object[] arguments) throws Throwable {
    try {
      return LocalApplicationService.class
          .getMethod(call.getName(), call.getParameterTypes())
          .invoke(service, arguments);
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
    service.close();
    // Hide rmClient from super.serviceStop(), which would pass it to RPC.stopProxy(). That would
    // fail, because rmClient is not a proxy that Hadoop's RPC created.
    rmClient = null;
    super.serviceStop();
  }
}
