package io.tony.am.yarn;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.model.FailureKind;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.net.ConnectException;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.token.SecretManager.InvalidToken;
import org.apache.hadoop.yarn.exceptions.ApplicationAttemptNotFoundException;
import org.apache.hadoop.yarn.exceptions.InvalidApplicationMasterRequestException;
import org.apache.hadoop.yarn.exceptions.InvalidLabelResourceRequestException;
import org.apache.hadoop.yarn.exceptions.InvalidResourceBlacklistRequestException;
import org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.exceptions.YarnRuntimeException;
import org.junit.Test;

public class SchedulerErrorsTest {
  @Test
  public void shouldTellARefusalFromALoss() {
    for (Throwable refusal :
        new Throwable[] {
          new InvalidResourceRequestException("too large"),
          new InvalidLabelResourceRequestException("no such label"),
          new InvalidResourceBlacklistRequestException("any node"),
          new YarnException("Found non empty SchedulingRequest"),
          new YarnRuntimeException(new InvalidResourceRequestException("wrapped"))
        }) {
      assertEquals(refusal.toString(), FailureKind.INVALID, SchedulerErrors.kind(refusal));
      assertFalse(SchedulerErrors.isDisowned(refusal));
    }
    for (Throwable loss :
        new Throwable[] {
          new ConnectException("refused"),
          new IOException(new YarnException("in the middle of a call")),
          new IllegalStateException("a defect")
        }) {
      assertEquals(loss.toString(), FailureKind.LOST, SchedulerErrors.kind(loss));
      assertFalse(SchedulerErrors.isDisowned(loss));
    }
  }

  @Test
  public void shouldKnowWhenYarnHasGivenTheMasterUp() {
    for (Throwable disowned :
        new Throwable[] {
          new ApplicationAttemptNotFoundException("appattempt_1 does not exist"),
          new InvalidApplicationMasterRequestException("doesn't exist in cache"),
          new InvalidToken("appattempt_1 not found in AMRMTokenSecretManager."),
          new IOException(new RemoteException(InvalidToken.class.getName(), "appattempt_1"))
        }) {
      assertTrue(disowned.toString(), SchedulerErrors.isDisowned(disowned));
    }
  }

  @Test
  public void shouldKeepYarnsSentenceWithoutItsStackTrace() {
    assertEquals(
        "Invalid resource request!",
        SchedulerErrors.sentence(new YarnException("Invalid resource request!\n\tat x.y(Z.java)")));
    assertEquals("java.io.IOException", SchedulerErrors.sentence(new IOException()));
  }

  @Test
  public void shouldTellAnErrorOfThisProgramFromWhatYarnOrTheNetworkSays() {
    assertTrue(SchedulerErrors.isInternal(new NullPointerException()));
    assertTrue(SchedulerErrors.isInternal(new IllegalStateException(new StackOverflowError())));
    assertFalse(SchedulerErrors.isInternal(new UndeclaredThrowableException(new IOException())));
    assertFalse(SchedulerErrors.isInternal(new YarnRuntimeException("refused")));
    assertFalse(SchedulerErrors.isInternal(new YarnException("refused")));
  }
}
