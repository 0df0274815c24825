package io.tony.executor;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import org.junit.After;
import org.junit.Test;

/** With a class loader of its own, as for Hadoop. */
public class HadoopCallsTest {
  private static final String SHORTAGE = "tony.test.shortage";

  private final HadoopCalls calls =
      new HadoopCalls(HadoopClassPath.of(System.getProperty("java.class.path")));

  /** Like Hadoop's FileSystem.Statistics, which starts a thread when it is initialized. */
  public static final class NeedsAThread {
    static {
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

  @After
  public void clear() {
    System.clearProperty(SHORTAGE);
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
}
