package io.tony.azkaban;

import static org.junit.Assert.assertEquals;

import azkaban.ServiceProvider;
import azkaban.executor.ExecutableFlow;
import azkaban.executor.ExecutorLoader;
import azkaban.flow.Flow;
import azkaban.project.Project;
import com.google.inject.Guice;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import org.junit.After;
import org.junit.Test;

/** Azkaban 4's executor is asked in the tests of Azkaban 4. */
public final class RunningFlowTest {

  @After
  public void forgetServices() {
    ServiceProvider.SERVICE_PROVIDER.unsetInjector();
  }

  @Test
  public void shouldAskTheServicesOfAnAzkabanThatIsNoExecutor() {
    Project project = new Project(4, "digits");
    Flow flow = new Flow("daily");
    ExecutableFlow running = new ExecutableFlow(project, flow);
    running.setVersion(2);
    running.setSubmitUser("alice");
    ExecutorLoader loader =
        (ExecutorLoader)
            Proxy.newProxyInstance(
                RunningFlowTest.class.getClassLoader(),
                new Class<?>[] {ExecutorLoader.class},
                (proxy, method, arguments) -> {
                  assertEquals("fetchExecutableFlow", method.getName());
                  return arguments[0].equals(17) ? running : null;
                });
    ServiceProvider.SERVICE_PROVIDER.unsetInjector();
    ServiceProvider.SERVICE_PROVIDER.setInjector(
        Guice.createInjector(binder -> binder.bind(ExecutorLoader.class).toInstance(loader)));

    assertEquals(
        Optional.of(
            Map.of(
                "azkaban.flow.projectname", "digits",
                "azkaban.flow.projectid", "4",
                "azkaban.flow.projectversion", "2",
                "azkaban.flow.flowid", "daily",
                "azkaban.flow.submituser", "alice")),
        RunningFlow.of(17));
    assertEquals(Optional.empty(), RunningFlow.of(16));
  }

  @Test
  public void shouldKnowNothingWhereThereIsNoAzkaban() {
    ServiceProvider.SERVICE_PROVIDER.unsetInjector();

    assertEquals(Optional.empty(), RunningFlow.of(17));
  }
}
