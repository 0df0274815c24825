package io.tony.am;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import org.junit.Test;

public class DefectTest {
  @Test
  public void shouldLeaveTheJobToTheNextMasterAsLongAsYarnStartsOne() {
    assertTrue(Defect.isLeftToTheNext(1, 2, 2));
    assertTrue(Defect.isLeftToTheNext(2, 5, 3));
    assertFalse(Defect.isLeftToTheNext(2, 2, 2));
    assertFalse("YARN allows fewer", Defect.isLeftToTheNext(1, 5, 1));
    assertFalse("some that were lost did not count", Defect.isLeftToTheNext(3, 2, 2));
  }

  @Test
  public void shouldSayThatItIsADefectAndWhereToReportIt() {
    JobResult result =
        Defect.result(
            new IllegalStateException("TaskExited cannot happen in phase NEW"),
            "application_1_0001");

    assertEquals(JobResult.Status.FAILED, result.status());
    assertEquals(FailureKind.AM_LOST, result.kind());
    assertEquals(
        "a defect of TonY: java.lang.IllegalStateException: TaskExited cannot happen in phase NEW."
            + " Please report it with am.log and the event log of application_1_0001"
            + " (docs/failures.md, \"A defect of TonY\")",
        result.message());
  }
}
