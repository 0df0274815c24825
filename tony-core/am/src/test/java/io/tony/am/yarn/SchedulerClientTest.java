package io.tony.am.yarn;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.yarn.api.ApplicationMasterProtocol;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.exceptions.ApplicationMasterNotRegisteredException;
import org.apache.hadoop.yarn.exceptions.InvalidApplicationMasterRequestException;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.util.Records;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/**
 * How an ApplicationMaster comes to a ResourceManager that answers as the test has it, and takes
 * its leave of it.
 */
public class SchedulerClientTest {
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final Queue<Callable<Boolean>> answers = new ArrayDeque<>();
  private final Queue<YarnException> refusals = new ArrayDeque<>(); // of the next registrations
  private final List<String> calls = new ArrayList<>();
  private final AnsweringYarn client = new AnsweringYarn();

  /** Does not sleep, but tells that it would. */
  private final class AnsweringYarn extends SchedulerClient implements ApplicationMasterProtocol {
    @Override
    protected void serviceStart() {
      rmClient = this;
    }

    @Override
    protected void serviceStop() {}

    @Override
    void pause(long millis) throws InterruptedException {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      calls.add("pause " + millis);
    }

    @Override
    public RegisterApplicationMasterResponse registerApplicationMaster(
        RegisterApplicationMasterRequest request) throws YarnException {
      calls.add("register " + request.getHost() + ":" + request.getRpcPort());
      if (!refusals.isEmpty()) {
        throw refusals.remove();
      }
      RegisterApplicationMasterResponse response =
          Records.newRecord(RegisterApplicationMasterResponse.class);
      response.setContainersFromPreviousAttempts(List.of());
      response.setNMTokensFromPreviousAttempts(List.of());
      return response;
    }

    @Override
    public FinishApplicationMasterResponse finishApplicationMaster(
        FinishApplicationMasterRequest request) throws YarnException {
      calls.add("finish " + request.getFinalApplicationStatus() + ": " + request.getDiagnostics());
      try {
        return FinishApplicationMasterResponse.newInstance(answers.remove().call());
      } catch (YarnException e) {
        throw e;
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public AllocateResponse allocate(AllocateRequest request) {
      throw new AssertionError("nothing is asked for");
    }
  }

  private static YarnException stopping() {
    return new YarnException(
        new RemoteException(
            "org.apache.hadoop.yarn.exceptions.YarnRuntimeException",
            "java.lang.InterruptedException"));
  }

  @Before
  public void start() throws Exception {
    client.init(new Configuration());
    client.start();
    register();
    calls.clear();
  }

  private void register() throws Exception {
    client.registerApplicationMaster("here", 1, "N/A");
  }

  @After
  public void stop() {
    client.stop();
  }

  private void unregister() throws Exception {
    client.unregisterApplicationMaster(FinalApplicationStatus.FAILED, "why", null);
  }

  @Test
  public void shouldLookSoonAndThenLessOftenWhetherTheEndIsSaved() throws Exception {
    for (int i = 0; i < 7; i++) {
      answers.add(() -> false);
    }
    answers.add(() -> true);

    unregister();

    assertEquals(
        List.of(
            "pause 5", "pause 10", "pause 20", "pause 40", "pause 80", "pause 100", "pause 100"),
        calls.stream().filter(call -> call.startsWith("pause")).toList());
    assertEquals(8, calls.stream().filter("finish FAILED: why"::equals).count());
  }

  @Test
  public void shouldRegisterAgainWhenTheResourceManagerStopsInTheMiddleOfAnAnswer()
      throws Exception {
    refusals.add(stopping());

    register();

    assertEquals(List.of("register here:1", "pause 100", "register here:1"), calls);
  }

  @Test
  public void shouldNotRegisterAgainWhenItIsRefused() {
    refusals.add(new InvalidApplicationMasterRequestException("another is there"));

    assertThrows(InvalidApplicationMasterRequestException.class, this::register);

    assertEquals(List.of("register here:1"), calls);
  }

  @Test
  public void shouldTellTheEndAgainWhenTheResourceManagerStopsInTheMiddleOfAnAnswer()
      throws Exception {
    answers.add(
        () -> {
          throw stopping();
        });
    answers.add(() -> true);

    unregister();

    assertEquals(List.of("finish FAILED: why", "pause 5", "finish FAILED: why"), calls);
  }

  @Test
  public void shouldRegisterWithAnotherResourceManagerAndTellItTheEnd() throws Exception {
    answers.add(() -> false);
    for (int i = 0; i < 2; i++) { // until it is registered
      answers.add(
          () -> {
            throw new ApplicationMasterNotRegisteredException("who are you?");
          });
    }
    answers.add(() -> true);

    unregister();

    assertEquals(
        List.of(
            "finish FAILED: why",
            "pause 5",
            "finish FAILED: why",
            "finish FAILED: why",
            "register here:1",
            "finish FAILED: why"),
        calls);
  }

  @Test
  public void shouldEndWithAnInterrupt() {
    answers.add(() -> false);
    Thread.currentThread().interrupt();

    assertThrows(InterruptedIOException.class, this::unregister);

    assertTrue(Thread.interrupted());
  }
}
