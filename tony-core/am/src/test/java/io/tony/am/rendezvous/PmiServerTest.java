package io.tony.am.rendezvous;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.am.http.ListeningPorts;
import io.tony.model.PortRange;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/** The conversation of MPI_Init and MPI_Finalize, as MPICH holds it; the flows run the real one. */
public class PmiServerTest {
  @Rule public final Timeout limit = Timeout.seconds(60);

  private PmiServer server;

  @Before
  public void open() throws IOException {
    server = start(2);
  }

  private static PmiServer start(int size) throws IOException {
    return PmiServer.start(
        new ListeningPorts("localhost", PortRange.ANY, "a test"),
        StoreLimits.pmi(size, FileDescriptors.ofProcess(size)),
        size);
  }

  @After
  public void close() {
    server.close();
  }

  /** One rank's connection. */
  private static final class Rank implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader in;

    Rank(int port) throws IOException {
      socket = new Socket("localhost", port);
      in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
    }

    void say(String line) throws IOException {
      sayPart(line + "\n");
    }

    void sayPart(String part) throws IOException {
      socket.getOutputStream().write(part.getBytes(StandardCharsets.ISO_8859_1));
    }

    String hear() throws IOException {
      return in.readLine();
    }

    void introduce(int id) throws IOException {
      assertEquals("cmd=initack", ask("cmd=initack pmiid=" + id));
      for (String set : List.of("size=2", "rank=" + id, "debug=0")) {
        assertEquals("cmd=set " + set, hear());
      }
    }

    String ask(String line) throws IOException {
      say(line);
      return hear();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Test
  public void shouldTellARankItsWorld() throws IOException {
    try (Rank rank = new Rank(server.port())) {
      assertEquals("cmd=initack", rank.ask("cmd=initack pmiid=1"));
      assertEquals("cmd=set size=2", rank.hear());
      assertEquals("cmd=set rank=1", rank.hear());
      assertEquals("cmd=set debug=0", rank.hear());
      assertEquals(
          "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0",
          rank.ask("cmd=init pmi_version=1 pmi_subversion=1"));
      assertEquals("cmd=universe_size size=2", rank.ask("cmd=get_universe_size"));
      assertEquals("cmd=finalize_ack", rank.ask("cmd=finalize"));
    }
  }

  @Test
  public void shouldPassValuesOnBehindTheBarrier() throws IOException {
    try (Rank first = new Rank(server.port());
        Rank second = new Rank(server.port())) {
      first.introduce(0);
      second.introduce(1);
      String mine = "put kvsname=tony key=P0-card value=host#a b=c$1";
      assertEquals("cmd=put_result rc=0 msg=success", first.ask("cmd=" + mine));
      first.say("cmd=barrier_in");
      assertEquals("cmd=barrier_out", second.ask("cmd=barrier_in"));
      assertEquals("cmd=barrier_out", first.hear());
      assertEquals(
          "cmd=get_result rc=0 msg=success value=host#a b=c$1",
          second.ask("cmd=get kvsname=tony key=P0-card"));
      assertEquals(
          "cmd=get_result rc=-1 msg=key_not_found value=unknown",
          second.ask("cmd=get kvsname=tony key=P1-card"));
      assertEquals(
          "cmd=get_result rc=0 msg=success value=(vector,(0,2,1))",
          second.ask("cmd=get kvsname=tony key=PMI_process_mapping"));
    }
  }

  /** One who has not said which rank it is, one that has gone, and one that comes twice. */
  @Test
  public void shouldHoldTheBarrierUntilEachRankHasCome() throws IOException {
    try (Rank first = new Rank(server.port());
        Rank second = new Rank(server.port());
        Rank stranger = new Rank(server.port());
        Rank gone = new Rank(server.port())) {
      first.introduce(0);
      second.introduce(1);
      gone.introduce(1);
      gone.say("cmd=barrier_in");
      assertEquals("cmd=appnum appnum=0", gone.ask("cmd=get_appnum"));
      gone.say("none");
      assertNull(gone.hear());
      assertNull(stranger.ask("cmd=barrier_in\ncmd=barrier_in"));
      first.say("cmd=barrier_in\ncmd=barrier_in");

      assertEquals("not released", "cmd=appnum appnum=0", first.ask("cmd=get_appnum"));
      assertEquals("cmd=barrier_out", second.ask("cmd=barrier_in"));
      assertEquals("cmd=barrier_out", first.hear());
      second.say("cmd=barrier_in");
      assertEquals("the next one", "cmd=barrier_out", first.ask("cmd=barrier_in"));
    }
  }

  @Test
  public void shouldTakeOneIntroductionOfACaller() throws IOException {
    try (Rank first = new Rank(server.port());
        Rank second = new Rank(server.port());
        Rank third = new Rank(server.port())) {
      first.introduce(0);
      assertNull(first.ask("cmd=initack pmiid=0"));
      second.introduce(0);
      third.introduce(0);
    }
  }

  @Test
  public void shouldTakeTheWordsOfAnAbort() throws IOException {
    try (Rank rank = new Rank(server.port())) {
      assertEquals(
          "cmd=appnum appnum=0", rank.ask("cmd=abort exitcode=7 out of memory\ncmd=get_appnum"));
    }
  }

  @Test
  public void shouldHangUpOnNonsense() throws IOException {
    for (String nonsense :
        new String[] {
          "GET / HTTP/1.1", "cmd=initack pmiid=2", "cmd=put key=x", "cmd=none", "", "x".repeat(9000)
        }) {
      try (Rank rank = new Rank(server.port())) {
        assertNull(nonsense, rank.ask(nonsense));
      }
    }
    try (Rank rank = new Rank(server.port())) {
      assertEquals("cmd=appnum appnum=0", rank.ask("cmd=get_appnum"));
    }
  }

  @Test
  public void shouldServeAllRanksByOneThread() throws IOException {
    int size = 400;
    List<Rank> ranks = new ArrayList<>();
    try (PmiServer large = start(size)) {
      long before = threads();
      for (int id = 0; id < size; id++) {
        Rank rank = new Rank(large.port());
        ranks.add(rank);
        assertEquals("cmd=initack", rank.ask("cmd=initack pmiid=" + id));
        String put = "cmd=put kvsname=tony key=P" + id + " value=host#" + id;
        rank.say(put + "\ncmd=barrier_in");
      }
      for (int id = 0; id < size; id++) {
        Rank rank = ranks.get(id);
        for (String line = rank.hear(); !line.equals("cmd=barrier_out"); line = rank.hear()) {
          assertFalse(line, line.contains("rc=-1"));
        }
        assertEquals(
            "cmd=get_result rc=0 msg=success value=host#" + (size - 1 - id),
            rank.ask("cmd=get kvsname=tony key=P" + (size - 1 - id)));
      }
      assertTrue(threads() + " after " + before, threads() <= before);
    } finally {
      for (Rank rank : ranks) {
        rank.close();
      }
    }
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("pmi"))
        .count();
  }

  /** What it does not read fills its connection, then what is kept for it; nobody waits for it. */
  @Test
  public void shouldLeaveARankThatDoesNotRead() throws IOException {
    try (Rank deaf = new Rank(server.port());
        Rank other = new Rank(server.port())) {
      String questions = "cmd=get_maxes\n".repeat(1_000);
      assertThrows(
          IOException.class,
          () -> {
            while (true) {
              deaf.sayPart(questions);
              assertEquals("cmd=appnum appnum=0", other.ask("cmd=get_appnum"));
            }
          });
      assertEquals("cmd=appnum appnum=0", other.ask("cmd=get_appnum"));
    }
  }

  @Test
  public void shouldUnderstandLinesThatComeInPieces() throws IOException {
    try (Rank rank = new Rank(server.port());
        Rank other = new Rank(server.port())) {
      for (String piece : "cmd=get_ap pnum\ncmd=get_uni verse_size\n".split(" ", -1)) {
        rank.sayPart(piece);
        assertEquals("cmd=appnum appnum=0", other.ask("cmd=get_appnum")); // it is read by now
      }
      assertEquals("cmd=appnum appnum=0", rank.hear());
      assertEquals("cmd=universe_size size=2", rank.hear());
    }
  }

  /** As nc does: it says all that it has to say, and reads what it is told. */
  @Test
  public void shouldAnswerARankThatHasSaidAll() throws IOException {
    try (Rank rank = new Rank(server.port())) {
      rank.say("cmd=get_appnum\ncmd=finalize");
      rank.socket.shutdownOutput();

      assertEquals("cmd=appnum appnum=0", rank.hear());
      assertEquals("cmd=finalize_ack", rank.hear());
      assertNull(rank.hear());
    }
  }

  @Test
  public void shouldHangUpOnAllWhenItIsClosed() throws IOException {
    try (Rank rank = new Rank(server.port())) {
      assertEquals("cmd=appnum appnum=0", rank.ask("cmd=get_appnum"));
      server.close();
      assertNull(rank.hear());
    }
  }

  @Test
  public void shouldNotGrowWithoutEnd() throws IOException {
    try (Rank rank = new Rank(server.port())) {
      int stored = 0;
      while (rank.ask("cmd=put kvsname=tony key=k" + stored + " value=1").contains("rc=0")) {
        stored++;
      }
      assertEquals(512, stored);
      assertEquals(
          "a key that is there",
          "cmd=put_result rc=0 msg=success",
          rank.ask("cmd=put key=k0 value=2"));
    }
  }
}
