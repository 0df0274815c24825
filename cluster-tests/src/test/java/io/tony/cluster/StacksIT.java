package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.util.List;
import java.util.stream.Stream;
import org.junit.Test;

/** {@code tony stacks}: where the programs of a job stand, which goes on. */
public class StacksIT extends ClusterTest {
  /** A JVM tells its threads by itself. */
  private static final String PROGRAM =
      """
      public class Train {
        public static void main(String[] arguments) throws Exception {
          if (System.getenv("TASK_INDEX").equals("0")) readData(); else waitForPeer();
        }

        static void readData() throws Exception {
          while (!new java.io.File("@go@").exists()) Thread.sleep(50);
        }

        static void waitForPeer() throws Exception {
          while (!new java.io.File("@go@").exists()) Thread.sleep(50);
        }
      }
      """;

  private TonyCommand stacks(String... arguments) throws Exception {
    return tony(Stream.concat(Stream.of("stacks"), Stream.of(arguments)).toArray(String[]::new));
  }

  @Test
  public void shouldTellWhereAllStandAndDisturbNobody() throws Exception {
    write("src/Train.java", PROGRAM.replace("@go@", folder.getRoot() + "/go"));
    String java = System.getProperty("java.home") + "/bin/java";
    try (TonyCommand tony =
        submit(
            "-executes", java + " -Xmx64m -XX:TieredStopAtLevel=1 Train.java",
            "-src_dir", "src",
            "-conf", "tony.worker.instances=3",
            "-conf", "tony.worker.memory=384m")) {
      tony.await("3/3 tasks running");
      String application = tony.application();

      String all = told(application);
      while (all.lines().filter(line -> line.contains("(Train.java:")).count() < 2) {
        all = told(application); // they are compiled first
      }
      List<String> lines = all.lines().filter(line -> line.contains("worker:")).toList();
      assertEquals(
          List.of(
              "readData (Train.java:7): worker:0",
              "waitForPeer (Train.java:11): worker:1, worker:2"),
          lines);

      String one = told(application, "worker:2");
      assertTrue(one, one.contains("worker:2 is at: waitForPeer (Train.java:11)"));
      assertTrue(one, one.contains("at Train.waitForPeer(Train.java:11)"));

      write("go", "");
      tony.assertExit(0);
      assertEquals(List.of(), events(application, JobEvent.Type.TASK_FAILED));
      assertEquals(3, events(application, JobEvent.Type.TASK_STARTED).size());
      try (TonyCommand ended = stacks(application)) {
        ended.assertExit(2);
        assertTrue(ended.text(), ended.text().contains(application + " has ended"));
      }
    }
  }

  private String told(String... arguments) throws Exception {
    try (TonyCommand stacks = stacks(arguments)) {
      stacks.assertExit(0);
      return stacks.text();
    }
  }

  @Test
  public void shouldSayWhyNothingIsSeen() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes",
            "until [ -e '" + folder.getRoot() + "/go' ]; do sleep 0.1; done",
            "-conf",
            "tony.worker.instances=1")) {
      tony.await("1/1 tasks running");
      String application = tony.application();

      assertTrue(
          told(application)
              .contains("not known, none of its processes is a Python or a JVM: worker:0"));
      for (String task : List.of("worker:7", "nobody")) {
        try (TonyCommand wrong = stacks(application, task)) {
          wrong.assertExit(2);
          assertTrue(wrong.text(), wrong.text().contains(task));
        }
      }
      write("go", "");
      tony.assertExit(0);
    }
  }
}
