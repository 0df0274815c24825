package io.tony.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Generates {@code docs/cli.md} from {@link CliCommand}. */
final class CliDocs {
  private static final String INTRO =
      """
      # The command line

      <!-- Generated from io.tony.client.CliCommand; CliDocsTest tells how to write it anew. -->

      `bin/tony COMMAND [options]`. An option is written `-name value`, `-name=value`, or with two dashes.
      `tony help COMMAND` prints what stands here. `bin/quickstart --help` and `bin/pack-venv --help` print theirs.

      """;

  private static final String REST =
      """

      ## Exit codes

      [step.md](step.md#how-it-ends) has them. `tony shell` returns the exit code of the shell. Commands that only look
      return 0, 2 where the request makes no sense, and 3 where the cluster does not answer or the command fails. `tony doctor`
      returns 3 if a check fails.

      ## Environment

      | variable | what it names |
      |---|---|
      | `HADOOP_HOME`, `HADOOP_CONF_DIR` | Hadoop, and the folder with its `core-site.xml`, `hdfs-site.xml` and `yarn-site.xml` |
      | `JAVA_HOME` | Java 17 or newer |
      | `TONY_HADOOP_CLASSPATH` | Hadoop's jars; default: what `hadoop classpath` prints |
      | `TONY_CONF_DIR` | the folder with `tony-site.xml` |
      | `TONY_CACHE` | a folder of yours that nobody else can enter (mode 700), where classes are kept prepared; `none` for none; default: `~/.cache/tony` |
      | `TONY_LOCAL` | where `tony run` keeps its jobs; default: `~/.tony/local/HOSTNAME` |
      | `TONY_SCHEDULER` | `local`: `tony submit` runs jobs on this machine, like `tony run`; default: `yarn` |
      | `TONY_HISTORY_HEAP` | the heap of `tony history`; default: `1g` |
      """;

  /** Options that several commands have, by the title of their chapter. */
  private static final Map<String, List<Flag>> SHARED = new LinkedHashMap<>();

  static {
    SHARED.put("Options of a job", Flags.JOB);
    SHARED.put("Options that find a job", Flags.CONFIG);
    SHARED.put("Options of what is reported", Flags.REPORTING);
  }

  private CliDocs() {}

  /** Returns the whole page as Markdown. */
  static String markdown() {
    StringBuilder page = new StringBuilder(INTRO);
    page.append("| command | what it does |\n|---|---|\n");
    for (CliCommand command : CliCommand.values()) {
      page.append("| [`").append(command).append("`](#tony-").append(command).append(") | ");
      page.append(cell(command.meaning())).append(" |\n");
    }
    for (CliCommand command : CliCommand.values()) {
      page.append("\n## tony ").append(command).append("\n\n");
      page.append("```text\n").append(Usage.line(command)).append("\n```\n\n");
      page.append(sentence(command.meaning())).append(" For example:\n\n");
      page.append("```bash\nbin/").append(Usage.example(command)).append("\n```\n");
      List<Flag> own = new ArrayList<>(command.flags());
      List<String> shared = new ArrayList<>();
      SHARED.forEach(
          (title, flags) -> {
            if (own.containsAll(flags)) {
              own.removeAll(flags);
              shared.add(link(title));
            }
          });
      append(own, page);
      if (!shared.isEmpty()) {
        page.append("\nAnd the ").append(String.join(" and the ", shared)).append(".\n");
      }
    }
    SHARED.forEach(
        (title, flags) -> {
          page.append("\n## ").append(title).append("\n");
          append(flags, page);
        });
    return page.append(REST).toString();
  }

  private static void append(List<Flag> flags, StringBuilder page) {
    if (!flags.isEmpty()) {
      page.append("\n| option | what it does |\n|---|---|\n");
      flags.forEach(flag -> page.append("| `" + flag + "` | " + cell(flag.meaning()) + " |\n"));
    }
  }

  private static String link(String title) {
    String text = title.toLowerCase(Locale.ROOT);
    return "[" + text + "](#" + text.replace(' ', '-') + ")";
  }

  private static String sentence(String meaning) {
    return meaning.substring(0, 1).toUpperCase(Locale.ROOT) + meaning.substring(1) + ".";
  }

  private static String cell(String text) {
    return text.replace("|", "\\|").replace("${...}", "`${...}`");
  }
}
