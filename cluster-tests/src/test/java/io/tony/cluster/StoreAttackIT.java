package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.Test;

/** A task turns on the store of its own gang, in the ApplicationMaster: the others train on. */
public class StoreAttackIT extends ClusterTest {
  private static final String CALLS =
      """
      import os, socket, sys

      STORE = (os.environ["HOROVOD_GLOO_RENDEZVOUS_ADDR"],
               int(os.environ["HOROVOD_GLOO_RENDEZVOUS_PORT"]))

      def call(method, key, body=b""):
          with socket.create_connection(STORE, 60) as connection:
              head = "%s /%s HTTP/1.1\\r\\nContent-Length: %d\\r\\n\\r\\n" % (method, key, len(body))
              connection.sendall(head.encode() + body)
              answer = b""
              while True:
                  part = connection.recv(65536)
                  if not part:
                      head, _, value = answer.partition(b"\\r\\n\\r\\n")
                      return int(head.split()[1]), value
                  answer += part
      """;

  private static final String ATTACKER =
      """
      from calls import *

      while call("GET", "step")[0] != 200:
          pass
      assert call("PUT", "attack", b"begun")[0] == 200
      refused = 0
      for key in range(3000):
          status = call("PUT", "flood-%d" % key, b"x")[0]
          assert status in (200, 507), status
          refused += status == 507
      assert refused > 1000, refused
      assert call("PUT", "attack", b"x" * 10_000_000)[0] == 413

      silent = []
      for batch in range(6):
          step = call("GET", "step")
          silent += [socket.create_connection(STORE, 60) for number in range(100)]
          while call("GET", "step") == step:  # fewer come in one call of the trainer's than the store holds
              pass
      assert silent[0].recv(1) == b"", "the oldest is not closed"
      for number in range(100):
          with socket.create_connection(STORE, 60) as garbage:
              garbage.sendall(os.urandom(3000))
      assert call("PUT", "attack", b"over")[0] == 200
      print("attacked")
      """;

  private static final String TRAINER =
      """
      from calls import *

      steps = 0
      while call("GET", "attack") != (200, b"over"):
          assert call("PUT", "step", str(steps).encode())[0] == 200
          steps += 1
      print("trained while it lasted:", steps > 0)
      """;

  @Test
  public void shouldTrainOnWhileATaskAttacksTheStore() throws Exception {
    write("src/calls.py", CALLS);
    write("src/attack.py", ATTACKER);
    write("src/train.py", TRAINER);
    try (TonyCommand tony =
        submit(
            "-src_dir", "src",
            "-executes",
                "if [ $TASK_INDEX = 0 ]; then python3 train.py; else python3 attack.py; fi",
            "-conf", "tony.application.framework=horovod",
            "-conf", "tony.worker.instances=2")) {
      tony.assertExit(0);

      String application = tony.application();
      assertEquals("attacked\n", log(application, "worker:1", "stdout"));
      assertEquals("trained while it lasted: True\n", log(application, "worker:0", "stdout"));
      assertEquals(1, events(application, JobEvent.Type.AM_STARTED).size());
      assertEquals(2, events(application, JobEvent.Type.TASK_SUCCEEDED).size());
      List<String> told = capsTold(application);
      assertTold(told, "cap on keys: the store is full: it holds 1056 keys");
      assertTold(told, "cap on bytes of a value: a value of 10000000 bytes is above");
      assertTold(told, "cap on connections: more than 258 callers have not finished");
      assertTold(told, "cap on requests that make no sense");
      assertTrue(told.toString(), told.size() < 40); // a line a minute for each of four caps
    }
  }

  private static void assertTold(List<String> told, String text) {
    assertTrue(text + " in " + told, told.stream().anyMatch(line -> line.contains(text)));
  }

  /** Lines of the ApplicationMaster's log. */
  private static List<String> capsTold(String application) throws IOException {
    List<String> told = new ArrayList<>();
    for (Path logs : cluster().logDirs()) {
      try (Stream<Path> files = Files.walk(logs.resolve(application))) {
        for (Path log : files.filter(file -> file.endsWith("am.log")).toList()) {
          for (String line : Files.readAllLines(log, StandardCharsets.UTF_8)) {
            if (line.contains("horovod-store: cap on ")) {
              told.add(line);
            }
          }
        }
      } catch (java.nio.file.NoSuchFileException e) {
        // No container of the job ran on that node.
      }
    }
    return told;
  }
}
