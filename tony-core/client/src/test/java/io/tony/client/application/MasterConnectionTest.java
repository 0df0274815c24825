package io.tony.client.application;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.am.rpc.ServedJob;
import io.tony.protocol.proto.TonyProtos.OpenRequest;
import io.tony.tunnel.TunnelLink;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** What a client asks of an ApplicationMaster's real server. */
public class MasterConnectionTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private ServedJob served;
  private InetSocketAddress address;
  private MasterConnection master;

  @Before
  public void connect() throws Exception {
    served = new ServedJob(job().workers(1).spec(), InstantSource.system(), folder.getRoot());
    address = served.server.address();
    master = MasterConnection.open(address, served.key, new Configuration());
  }

  @After
  public void close() {
    master.close();
    served.close();
  }

  @Test
  public void shouldTellWhetherAnotherClientHasEverAskedForNews() throws Exception {
    assertFalse(master.clientActivity().watched());
    master.watch(0, 0, Duration.ofMillis(1));

    OtherClientWatch.PollResult.Answer watched = master.clientActivity();

    assertTrue(watched.watched());
    assertEquals(OptionalInt.of(1), watched.clientCount());
    assertTrue(
        watched.unwatchedTime() + "", watched.unwatchedTime().compareTo(Duration.ofMinutes(1)) < 0);
  }

  @Test
  public void shouldTellWhyThereIsNoTunnel() throws Exception {
    String problem =
        master
            .openTunnel(
                OpenRequest.newBuilder().setWho("ada").setRole("worker").setIndex(7).build())
            .getProblem();

    assertEquals("no task of the job is running", problem);
  }

  @Test
  public void shouldTellThatATunnelIsClosed() throws Exception {
    TunnelLink line = master.tunnelLink(4711);

    assertThrows(TunnelLink.TunnelClosedException.class, () -> line.take(0));
  }

  /** Whatever is asked of it; whose address it is, an administrator can find. */
  @Test
  public void shouldNameTheApplicationMasterThatDoesNotAnswer() {
    served.close();

    for (Asked asked :
        new Asked[] {
          () -> master.clientActivity(),
          () -> master.stacks(Optional.empty()),
          () -> master.closeTunnel(1),
          () -> master.watch(0, 0, Duration.ofSeconds(1)),
          () -> master.stop("ada")
        }) {
      IOException e = assertThrows(IOException.class, asked::ask);
      String begin = "the ApplicationMaster at " + address + " ";
      assertTrue(e.getMessage(), e.getMessage().startsWith(begin));
    }
  }

  private interface Asked {
    void ask() throws IOException;
  }

  /** Its process ends when it is let go: who ends a job is not to leave it behind. */
  @Test
  public void shouldLetAnApplicationMasterGoAndWaitUntilItIsGone() throws Exception {
    served.server.finish();
    CompletableFuture<Boolean> process =
        ServedJob.inBackground(
            () -> {
              boolean released = served.server.awaitRelease(Duration.ofSeconds(40));
              served.close();
              return released;
            });

    master.release(Duration.ofSeconds(40));

    assertTrue("it was told, and its port is closed", process.get());
    MasterConnection another = MasterConnection.open(address, served.key, new Configuration());
    assertThrows(IOException.class, another::clientActivity);
    another.close();
  }

  @Test
  public void shouldNotWaitForEverForAnApplicationMasterThatStays() throws Exception {
    long begin = System.nanoTime();

    master.release(Duration.ofMillis(200));

    Duration took = Duration.ofNanos(System.nanoTime() - begin);
    assertTrue(took + "", took.compareTo(Duration.ofMillis(200)) >= 0);
  }
}
