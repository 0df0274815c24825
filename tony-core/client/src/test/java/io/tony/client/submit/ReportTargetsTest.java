package io.tony.client.submit;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.file.Path;
import org.junit.Test;

public class ReportTargetsTest {
  @Test
  public void shouldTellAProgramThatAnswersForTheJobByItsStatusFile() {
    Path file = Path.of("file");
    assertTrue(new ReportTargets(file, null, false, false).hasParentProcess());
    assertFalse(new ReportTargets(null, file, true, true).hasParentProcess());
  }
}
