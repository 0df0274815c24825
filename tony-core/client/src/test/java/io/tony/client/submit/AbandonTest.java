package io.tony.client.submit;

import static org.junit.Assert.assertEquals;

import io.tony.client.input.JobFolder;
import io.tony.client.login.Login;
import io.tony.client.output.JobLog;
import io.tony.config.TonyConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.protocolrecords.GetNewApplicationResponse;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueState;
import org.apache.hadoop.yarn.api.records.QueueUserACLInfo;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceTypeInfo;
import org.apache.hadoop.yarn.client.api.YarnClientApplication;
import org.apache.hadoop.yarn.client.api.impl.YarnClientImpl;
import org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException;
import org.apache.hadoop.yarn.util.Records;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * A watch ends a client that waits for YARN only where YARN cannot have the job, before or after:
 * real threads, and a ResourceManager that answers when the test has it.
 */
public class AbandonTest {
  private static final ApplicationId ID = ApplicationId.newInstance(1, 1);

  /** At which call YARN does not answer until it goes on. */
  private static final class HeldYarn extends YarnClientImpl {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch goesOn = new CountDownLatch(1);
    private final AtomicInteger submitted = new AtomicInteger();
    private final boolean heldBefore;

    HeldYarn(boolean heldBefore) {
      this.heldBefore = heldBefore;
    }

    private void hold() throws IOException {
      reached.countDown();
      try {
        goesOn.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }

    @Override
    public YarnClientApplication createApplication() throws IOException {
      if (heldBefore) {
        hold();
      }
      ApplicationSubmissionContext context = Records.newRecord(ApplicationSubmissionContext.class);
      context.setApplicationId(ID);
      Resource largest = Resource.newInstance(100_000, 100);
      return new YarnClientApplication(
          GetNewApplicationResponse.newInstance(ID, largest, largest), context);
    }

    @Override
    public ApplicationId submitApplication(ApplicationSubmissionContext context)
        throws IOException {
      submitted.incrementAndGet();
      hold();
      throw new IOException("the answer was lost");
    }

    @Override
    public List<ResourceTypeInfo> getResourceTypeInfo() {
      return List.of();
    }

    @Override
    public List<NodeReport> getNodeReports(NodeState... states) {
      return List.of();
    }

    @Override
    public QueueInfo getQueueInfo(String name) {
      QueueInfo queue = Records.newRecord(QueueInfo.class);
      queue.setQueueName(name);
      queue.setQueueState(QueueState.RUNNING);
      return queue;
    }

    @Override
    public List<QueueUserACLInfo> getQueueAclsInfo() {
      return List.of();
    }

    @Override
    public ApplicationReport getApplicationReport(ApplicationId id)
        throws ApplicationNotFoundException {
      throw new ApplicationNotFoundException("no " + id);
    }

    @Override
    public void killApplication(ApplicationId id) throws ApplicationNotFoundException {
      throw new ApplicationNotFoundException("no " + id);
    }
  }

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(120);

  private TonyConfig job(Path folder) {
    Map<String, String> options = new TreeMap<>();
    options.put("tony.worker.instances", "1");
    options.put("tony.application.executes", "true");
    options.put("tony.application.checkpoint-dir", folder.resolve("ckpt").toUri().toString());
    for (String place : List.of("staging", "cache", "history")) {
      options.put("tony." + place + ".location", folder.resolve(place).toUri().toString());
    }
    return TonyConfig.builder().layer("test", options).build();
  }

  /** What the watch was told, how the command ended, and how often it submitted. */
  private String race(boolean heldBefore) throws Exception {
    Path folder = temporary.newFolder().toPath();
    HeldYarn yarn = new HeldYarn(heldBefore);
    JobRun run =
        new JobRun(
                new Configuration(),
                yarn,
                Login.byTicket(),
                job(folder),
                JobFolder.of(folder),
                new ReportTargets(null, null, false, false),
                new JobLog(OutputStream.nullOutputStream()))
            .withJar(temporary.newFile().toPath());
    FutureTask<Object> command =
        new FutureTask<>(run::run) {
          @Override
          protected void done() {
            yarn.reached.countDown();
          }
        };
    Thread thread = new Thread(command);
    thread.setDaemon(true);
    thread.start();
    yarn.reached.await();
    boolean mayEnd = run.tryAbandon();
    yarn.goesOn.countDown();
    String end;
    try {
      end = command.get().toString();
    } catch (ExecutionException e) {
      end = e.getCause().toString();
    }
    return mayEnd + "; " + end + "; submitted: " + yarn.submitted;
  }

  @Test
  public void shouldSubmitNothingAfterTheWatchHasEndedIt() throws Exception {
    assertEquals(
        "true; java.lang.InterruptedException: YARN did not answer in time; submitted: 0",
        race(true));
  }

  @Test
  public void shouldNotBeEndedOnceYarnMayHaveTheJob() throws Exception {
    assertEquals("false; java.io.IOException: the answer was lost; submitted: 1", race(false));
  }
}
