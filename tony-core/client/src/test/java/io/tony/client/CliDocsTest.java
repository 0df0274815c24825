package io.tony.client;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.GeneratedPage;
import io.tony.Repository;
import io.tony.client.input.InvalidJobException;
import io.tony.client.input.JobSources;
import io.tony.config.JobTranslation;
import io.tony.config.declared.ForeignKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.Test;

public class CliDocsTest {
  @Test
  public void shouldBeWhatTheCommandsTake() throws IOException {
    GeneratedPage.assertFresh("cli.md", CliDocs.markdown(), CliDocsTest.class);
  }

  @Test
  public void shouldTakeForAJobAllThatItsSourcesRead() {
    Set<String> flags = Flags.JOB.stream().map(Flag::name).collect(Collectors.toSet());
    assertEquals(JobSources.OPTION_NAMES, flags);
  }

  /** TonY's are among them; a job file is to be told of each that it cannot use. */
  @Test
  public void shouldBeReadInAJobFileOrBeToldWithTheKeyThatWorks() {
    for (Flag flag : Flags.JOB) {
      assertTrue(
          flag.name(),
          JobTranslation.optionOf(flag.name()).isPresent()
              || ForeignKeys.replacement(flag.name()).isPresent());
    }
  }

  @Test
  public void shouldCallTheFormerProgramLinkedInTonY() {
    String ours = CliDocs.markdown().replace("LinkedIn TonY's", "");
    assertFalse("this program's or LinkedIn's?", ours.contains("TonY's"));
  }

  @Test
  public void shouldDeclareEachOptionOfACommandOnce() {
    for (CliCommand command : CliCommand.values()) {
      Set<String> names = new HashSet<>();
      for (Flag flag : command.flags()) {
        assertTrue(command + " " + flag, names.add(flag.name()));
      }
    }
  }

  @Test
  public void shouldUnderstandEveryExample() throws InvalidJobException {
    for (CliCommand command : CliCommand.values()) {
      if (command != CliCommand.DEMO) { // read by bin/quickstart
        List<String> words =
            Pattern.compile("\"[^\"]*\"|\\S+")
                .matcher(command.example())
                .results()
                .map(MatchResult::group)
                .toList();
        command.parse(words);
        assertFalse(command + " has an example", words.isEmpty() && !command.flags().isEmpty());
      }
    }
  }

  /** The list of the migration page. */
  @Test
  public void shouldTakeEveryOptionOfTonYsCommandLine() throws IOException {
    Set<String> taken =
        CliCommand.SUBMIT.flags().stream().map(Flag::name).collect(Collectors.toSet());
    taken.add("help");
    Path list = Repository.path("tony-core/src/test/resources/tony-0.5/commands.txt");
    for (String line : Files.readAllLines(list)) {
      if (line.startsWith("-")) {
        assertTrue(line, taken.contains(line.substring(1, line.indexOf(' '))));
      }
    }
  }
}
