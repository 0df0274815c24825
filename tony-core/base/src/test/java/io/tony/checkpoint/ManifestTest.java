package io.tony.checkpoint;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.model.TaskId;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.junit.Test;

public class ManifestTest {
  private static final Manifest FOLDER =
      new Manifest(
          new TaskId("worker", 2),
          4,
          1_200,
          true,
          Instant.parse("2026-11-24T03:12:45.123Z"),
          "application_1700000000000_0012",
          "nightly.train, execution 17",
          "ab12",
          "größe 1200",
          true,
          List.of(
              new CheckpointFile("größe 1200/model.pt", 1L << 40, 0xABCD),
              new CheckpointFile("größe 1200/shards/0 of 2", 0, -1)));

  private static final String TEXT =
      """
      version: 1
      task: worker:2
      tasks: 4
      number: 1200
      step: true
      made: 2026-11-24T03:12:45.123Z
      application: application_1700000000000_0012
      maker: nightly.train, execution 17
      training: ab12
      name: größe 1200
      kind: folder
      file: 1099511627776 0000abcd größe 1200/model.pt
      file: 0 ffffffff größe 1200/shards/0 of 2
      end
      """;

  @Test
  public void shouldReadWhatItWrites() throws IOException {
    assertEquals(TEXT, FOLDER.write());
    assertEquals(FOLDER, Manifest.read(TEXT));
    assertEquals(1L << 40, FOLDER.bytes());

    Manifest file =
        new Manifest(
            new TaskId("chief", 0),
            1,
            7,
            false,
            Instant.parse("2026-11-24T03:12:45.123456Z"),
            "application_1_2",
            "",
            "",
            "model.pt",
            false,
            List.of(new CheckpointFile("model.pt", 3, 9)));
    assertEquals(file, Manifest.read(file.write()));
  }

  @Test
  public void shouldNotTakeWhatWasCutOff() {
    for (int length = 0; length < TEXT.length(); length++) {
      String cut = TEXT.substring(0, length);
      assertThrows(cut, IOException.class, () -> Manifest.read(cut));
    }
  }

  @Test
  public void shouldSayWhatIsWrong() {
    assertWrong(TEXT.replace("version: 1", "version: 2"), "it has version 2");
    assertWrong(TEXT.replace("made: 2026", "made: 20x6"), "20x6");
    assertWrong(TEXT.replace("number: 1200\n", ""), "it has no line 'number: '");
    assertWrong(TEXT.replace("0000abcd ", ""), "not a file's bytes, CRC and path");
    assertWrong(TEXT.replace("1099511627776", "-1"), "not a file's bytes, CRC and path");
    assertWrong(TEXT.replace("tasks: 4", "tasks: 0"), "number 1200 of 0 tasks");
    assertWrong(TEXT.replace("number: 1200", "number: -1"), "number -1 of 4 tasks");
    assertWrong(TEXT.replace("number: 1200", "number: 1000000000000"), "number 1000000000000 of");
    assertWrong(TEXT.replace("made: 2026", "made: 1999"), "made at 1999-11-24");
    assertWrong(TEXT.replace("made: 2026", "made: +10000"), "made at +10000-11-24");
    assertWrong(TEXT.replace("made: 2026", "made: +1000000000"), "+1000000000-11-24");
    assertWrong(TEXT.replace("step: true", "step"), "not a line 'key: value': 'step'");
  }

  /** It is read by an executor that writes what it names. */
  @Test
  public void shouldRefusePathsThatLeadElsewhere() {
    assertWrong(TEXT.replace("/model.pt", "/../model.pt"), "is not a file of 'größe 1200'");
    assertWrong(TEXT.replace("abcd größe 1200/model.pt", "abcd /etc/passwd"), "is not a file of");
    assertWrong(TEXT.replace("kind: folder", "kind: file"), "is not a file of");
    assertWrong(TEXT.replace("größe 1200", ".."), "not the name of a file: '..'");
    assertWrong(TEXT.replace("größe 1200", "a:b"), "not the name of a file: 'a:b'");
    assertWrong(TEXT.replace("model.pt", "a:b"), "is not a file of");
    assertWrong(TEXT.replace("model.pt", "a\tb"), "is not a file of");
    assertWrong(TEXT.replace("model.pt", "a\u0085b"), "is not a file of");
    assertWrong(TEXT.replace("model.pt", "ö".repeat(128)), "is not a file of");
  }

  @Test
  public void shouldTakeTheLongestName() throws IOException {
    String name = "ö".repeat(127) + "o";
    Manifest read = Manifest.read(TEXT.replace("model.pt", name));
    assertEquals("größe 1200/" + name, read.files().get(0).path());
  }

  private static void assertWrong(String text, String message) {
    IOException e = assertThrows(IOException.class, () -> Manifest.read(text));
    assertTrue(e.getMessage(), e.getMessage().contains(message));
  }

  @Test
  public void shouldPassOverWhatALaterVersionAdds() throws IOException {
    assertEquals(FOLDER, Manifest.read(TEXT.replace("kind: ", "colour: blue\nkind: ")));
  }

  @Test
  public void shouldKeepWordsForPeopleInOneLine() throws IOException {
    Manifest words =
        new Manifest(
            FOLDER.task(),
            1,
            1,
            true,
            FOLDER.createdAt(),
            "application_1_2",
            "nightly\nend\r\n",
            "ab",
            "a",
            false,
            List.of());
    assertEquals("nightly end", Manifest.read(words.write()).creator());
  }

  @Test
  public void shouldNameATasksFolder() {
    assertEquals("worker-2", Manifest.folderOf(FOLDER.task()));
  }
}
