package io.tony.azkaban.mini;

import azkaban.executor.ExecutorLoader;
import azkaban.project.ProjectLoader;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;

/**
 * Stubs of the interfaces through which Azkaban accesses its database. A run of a flow calls only a
 * few of their methods; what these would store is also in memory (in the {@code ExecutableFlow}) or
 * in the execution's folder (logs, attachments). All other methods throw an exception with the
 * method's name, so that no data is lost unnoticed.
 */
final class StubLoaders {

  /** Return values of the stub's methods, by name; an empty value means null or void. */
  private static final Map<String, Optional<Object>> EXECUTION_ANSWERS =
      Map.of(
          "updateExecutableReference", Optional.of(true),
          "updateExecutableFlow", Optional.empty(),
          "updateExecutableNode", Optional.empty(),
          "uploadExecutableNode", Optional.empty(),
          "uploadLogFile", Optional.empty(),
          "uploadAttachmentFile", Optional.empty());

  /**
   * Return values of the stub's methods, by name. No properties of a job were edited on a web page,
   * so Azkaban reads the job's file.
   */
  private static final Map<String, Optional<Object>> PROJECT_ANSWERS =
      Map.of("fetchProjectProperty", Optional.empty());

  private StubLoaders() {}

  static ExecutorLoader executions() {
    return stub(ExecutorLoader.class, EXECUTION_ANSWERS);
  }

  static ProjectLoader projects() {
    return stub(ProjectLoader.class, PROJECT_ANSWERS);
  }

  private static <T> T stub(Class<T> loader, Map<String, Optional<Object>> answers) {
    Object proxy =
        Proxy.newProxyInstance(
            loader.getClassLoader(),
            new Class<?>[] {loader},
            (self, method, arguments) -> {
              if (method.getDeclaringClass() == Object.class) {
                return method.invoke(answers, arguments);
              }
              Optional<Object> answer = answers.get(method.getName());
              if (answer == null) {
                throw new UnsupportedOperationException(
                    loader.getSimpleName()
                        + "."
                        + method.getName()
                        + " needs Azkaban's database, which this engine does not have");
              }
              return answer.orElse(null);
            });
    return loader.cast(proxy);
  }
}
