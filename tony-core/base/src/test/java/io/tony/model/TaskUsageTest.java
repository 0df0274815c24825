package io.tony.model;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import org.junit.Test;

public class TaskUsageTest {
  @Test
  public void shouldReadWhatItWrites() {
    assertEquals("812 0.97", new TaskUsage(812, 0.966, null).toString());
    assertEquals(new TaskUsage(812, 0.97, null), TaskUsage.parse("812 0.97"));
    assertEquals("0 12.00", new TaskUsage(0, 12, null).toString());
    TaskUsage withGpus = new TaskUsage(812, 0.97, new TaskUsage.GpuUsage(43, 2048));
    assertEquals("812 0.97 43 2048", withGpus.toString());
    assertEquals(withGpus, TaskUsage.parse("812 0.97 43 2048"));
  }

  @Test
  public void shouldRefuseAnythingElse() {
    for (String text : new String[] {"", "812", "812 0.97 43", "812 0,97", "1 2 3 4 5"}) {
      assertThrows(text, IllegalArgumentException.class, () -> TaskUsage.parse(text));
    }
  }
}
