package io.tony.azkaban.mini;

import azkaban.executor.ExecutorLoader;
import azkaban.project.ProjectLoader;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;

/**
 * What stands where Azkaban has its database. A flow's run calls few of the loaders' methods, and
 * all that they would store is already in memory (the {@code ExecutableFlow}) or in the execution's
 * folder (logs, attachments). Every other method is an error that names itself, so that nothing is
 * lost in silence.
 */
final class StubLoaders {

  /** Answers of the methods that are called; {@code empty} stands for null and for void. */
  private static final Map<String, Optional<Object>> EXECUTION_ANSWERS =
      Map.of(
          "updateExecutableReference", Optional.of(true),
          "updateExecutableFlow", Optional.empty(),
          "updateExecutableNode", Optional.empty(),
          "uploadExecutableNode", Optional.empty(),
          "uploadLogFile", Optional.empty(),
          "uploadAttachmentFile", Optional.empty());

  /** No job has an override from the web page: Azkaban then reads the job's file. */
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
