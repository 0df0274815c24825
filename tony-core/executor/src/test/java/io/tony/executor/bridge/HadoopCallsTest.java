package io.tony.executor.bridge;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import javax.tools.ToolProvider;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** With a class loader of its own, as for Hadoop. */
public class HadoopCallsTest {
  private static final String SHORTAGE = "tony.test.shortage";

  /** A star for each loader that has begun to initialize {@link NeedsAThread}. */
  private static final String LOADED = "tony.test.loaded";

  private final HadoopCalls calls =
      new HadoopCalls(HadoopClassPath.of(System.getProperty("java.class.path")));

  /** Like Hadoop's FileSystem.Statistics, which starts a thread when it is initialized. */
  public static final class NeedsAThread {
    static {
      System.setProperty(LOADED, System.getProperty(LOADED, "") + "*");
      if (System.getProperty(SHORTAGE) != null) {
        throw new OutOfMemoryError("unable to create native thread");
      }
    }

    private NeedsAThread() {}

    /** What is called. */
    public static String answer() {
      return "there";
    }
  }

  /** Tells how often this class of its loader has been called. */
  public static final class Counts {
    private static final AtomicInteger CALLS = new AtomicInteger();

    private Counts() {}

    /** What is called. */
    public static Integer answer() {
      return CALLS.incrementAndGet();
    }
  }

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  @After
  public void clear() {
    System.clearProperty(SHORTAGE);
    System.clearProperty(LOADED);
  }

  @Test
  public void shouldCallAClassAgainThatCouldNotBeInitializedForAMoment() throws Exception {
    System.setProperty(SHORTAGE, "true");
    for (int i = 0; i < 2; i++) {
      IOException e =
          assertThrows(IOException.class, () -> calls.call(NeedsAThread.class.getName(), "answer"));
      assertTrue(e.toString(), e.toString().contains("unable to create native thread"));
    }

    System.clearProperty(SHORTAGE);

    assertEquals("there", calls.call(NeedsAThread.class.getName(), "answer"));
  }

  @Test
  public void shouldLoadHadoopOnceThoughAClassOfItIsMissing() throws Exception {
    Path folder = temporary.getRoot().toPath();
    Path source =
        Files.writeString(
            folder.resolve("Derived.java"),
            "class Base {} public class Derived extends Base { public static String answer() { return \"\"; } }");
    assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, source.toString()));
    Files.delete(folder.resolve("Base.class"));
    HadoopCalls called =
        new HadoopCalls(
            HadoopClassPath.of(
                System.getProperty("java.class.path") + File.pathSeparator + folder));
    assertEquals(1, called.call(Counts.class.getName(), "answer"));

    for (int i = 0; i < 10; i++) {
      assertThrows(IOException.class, () -> called.call("Derived", "answer"));
    }

    assertEquals(2, called.call(Counts.class.getName(), "answer"));
  }

  @Test
  public void shouldLoadHadoopAgainAFewTimesOnlyHoweverLongAShortageLasts() {
    System.setProperty(SHORTAGE, "true");

    for (int i = 0; i < 10; i++) {
      assertThrows(IOException.class, () -> calls.call(NeedsAThread.class.getName(), "answer"));
    }

    assertEquals("the first, and three more", "****", System.getProperty(LOADED));
  }
}
