package io.tony.client.submit;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.file.Path;
import org.junit.Test;

public class ReportsTest {
  @Test
  public void shouldTellAProgramThatAnswersForTheJobByItsStatusFile() {
    Path file = Path.of("file");
    assertTrue(new Reports(file, null, false, false).toStarter());
    assertFalse(new Reports(null, file, true, true).toStarter());
  }
}
