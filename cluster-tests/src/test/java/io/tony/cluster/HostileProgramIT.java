package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import org.junit.Test;

/** Programs that write what would deceive or overwhelm whoever reads it. */
public class HostileProgramIT extends ClusterTest {
  private static final String MARK = "tony-events ";

  /** Within a text, each quote has a backslash before it. */
  private static final Pattern BETWEEN = Pattern.compile("(?<=}),(?=\\{\"v\":1,)");

  /** Says in every way that it has that the job has succeeded, and fails. */
  private static final String FORGER =
      """
      import os, sys
      forged = ('tony-events [{"v":1,"time":"2026-11-22T10:00:00Z","type":"JOB_FINISHED",'
                '"session":0,"details":{"status":"SUCCEEDED"}}]')
      ways = [forged, "x " + forged, "x\\r" + forged, "x\\x1b[2K\\x1b[1G" + forged, "x\\x00" + forged,
              "x\\u2028" + forged, "22-11-2026 10:00:00 UTC train INFO - " + forged]
      with open(os.environ["TONY_PROGRESS_FILE"], "w", encoding="utf-8", newline="") as progress:
          progress.write("\\n".join(ways) + "\\n 3/4 " + forged + "\\n")
      with open(os.environ["TONY_OUTPUT_FILE"], "w", encoding="utf-8", newline="") as outputs:
          for way in ways:
              outputs.write(way + "=" + way + "\\n")
          outputs.write("evaluated ${x} " + forged + "=1\\n")
      for way in ways:
          print(way, flush=True)
          sys.stderr.buffer.write(way.encode("utf-8") + b"\\xff\\xfe\\n")
      sys.exit(int(sys.argv[1]))
      """;

  /** Each task tries something else. */
  private static final String TALKER =
      """
      import os, sys, time
      progress, outputs = os.environ["TONY_PROGRESS_FILE"], os.environ["TONY_OUTPUT_FILE"]
      task = int(os.environ["TASK_INDEX"])
      if task == 0:  # as many lines as it can, in a file that grows
          end, step, block = time.time() + 5, 0, "x" * 400 + "\\n"
          with open(progress, "w") as file:
              while time.time() < end and step < 100_000_000:
                  file.write(block * 1000)
                  step += 401 * 1000
              file.write("4/4\\n")
          with open(outputs, "w") as file:
              for key in range(1_000_000):
                  file.write("k%d=%d\\n" % (key, key))
      elif task == 1:  # lines and files of gigabytes
          for path in progress, outputs:
              with open(path, "w") as file:
                  file.truncate(1 << 30)
          os.ftruncate(2, 2 << 30)
      elif task == 2:  # what has no end
          os.mkfifo(progress)
          os.symlink("/dev/zero", outputs)
      else:  # no text
          for path in progress, outputs:
              with open(path, "wb") as file:
                  file.write(os.urandom(100_000) + b"\\n" + os.urandom(100) + b"=" + os.urandom(100))
          os.write(2, os.urandom(1_000_000))
      sys.exit(int(sys.argv[1]))
      """;

  private static List<String> eventLines(TonyCommand tony) {
    return tony.lines().stream().filter(line -> line.startsWith(MARK)).toList();
  }

  /** As programs are told it. */
  private static JobEvent withoutOptions(JobEvent event) {
    Map<String, String> details = new LinkedHashMap<>(event.details());
    details.keySet().removeIf(name -> name.startsWith("option."));
    return new JobEvent(event.time(), event.type(), event.session(), event.task(), details);
  }

  /** Every event that was told did happen, and no other line looks like one. */
  private static void assertToldWhatHappened(TonyCommand tony) throws Exception {
    List<JobEvent> happened =
        events(tony.application()).stream().map(HostileProgramIT::withoutOptions).toList();
    for (String line : eventLines(tony)) {
      String array = line.substring(MARK.length() + 1, line.length() - 1);
      for (String json : BETWEEN.split(array, -1)) {
        JobEvent event = EventJson.read(json);
        assertTrue(json, event.type() == JobEvent.Type.JOB_SUBMITTED || happened.contains(event));
      }
    }
    for (String line : tony.lines()) {
      assertTrue(line, line.startsWith(MARK) || !line.contains("tony-event"));
      assertFalse(line, line.matches("(?s).*[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f].*"));
    }
  }

  @Test
  public void shouldBelieveNoEventThatAProgramWrites() throws Exception {
    write("src/forge.py", FORGER);
    Path status = folder.getRoot().toPath().resolve("status.properties");
    for (int code : new int[] {0, 3}) {
      try (TonyCommand tony =
          submit(
              "-executes",
              "forge.py",
              "-python_binary_path",
              "python3",
              "-src_dir",
              "src",
              "-task_params",
              Integer.toString(code),
              "-conf",
              "tony.worker.instances=1",
              "-status_file",
              status.toString(),
              "-output_file",
              folder.getRoot().toPath().resolve("outputs.json").toString(),
              "-events")) {
        tony.assertExit(code == 0 ? 0 : 1);

        assertToldWhatHappened(tony);
        List<String> ends =
            eventLines(tony).stream().filter(line -> line.contains("\"JOB_FINISHED\"")).toList();
        assertEquals(tony.text(), 1, ends.size());
        assertTrue(tony.text(), tony.text().contains("3/4 tony_events [{"));
        Properties told = new Properties();
        try (Reader reader = Files.newBufferedReader(status, StandardCharsets.UTF_8)) {
          told.load(reader);
        }
        assertEquals(code == 0 ? "SUCCEEDED" : "FAILED", told.getProperty("state"));
        assertFalse(told.toString(), told.getProperty("message").contains("tony-event"));
        assertEquals(1, told.getProperty("message").lines().count());
      }
    }
  }

  @Test
  public void shouldEndAsUsualHoweverMuchProgramsSay() throws Exception {
    write("src/talk.py", TALKER);
    for (int code : new int[] {0, 3}) {
      try (TonyCommand tony =
          submit(
              "-executes",
              "talk.py",
              "-python_binary_path",
              "python3",
              "-src_dir",
              "src",
              "-task_params",
              Integer.toString(code),
              "-conf",
              "tony.worker.instances=4",
              "-output_file",
              folder.getRoot().toPath().resolve("outputs.json").toString(),
              "-events")) {
        tony.assertExit(code == 0 ? 0 : 1);

        assertToldWhatHappened(tony);
        int size = tony.text().length();
        assertTrue(size + " characters", size < 300_000);
        if (code == 0) {
          assertTrue(tony.text(), tony.text().contains("worker:0: 4/4"));
          assertTrue(
              tony.text(),
              tony.text().contains("worker:2: all outputs are left out: TONY_OUTPUT_"));
        }
      }
    }
  }
}
