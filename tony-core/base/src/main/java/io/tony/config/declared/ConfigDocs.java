package io.tony.config.declared;

import io.tony.config.declared.RemovedKeys.RemovedKey;
import io.tony.config.option.ConfigOption;
import io.tony.config.option.ConfigOption.Support;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Generates {@code docs/configuration.md} from the declarations of all options. */
public final class ConfigDocs {
  private static final String INTRO =
      """
      # Options

      <!-- Generated from io.tony.config.declared; ConfigDocsTest tells how to write it anew. -->

      The options of an ordinary job are in one example: [a step](cheat-sheet.md#a-step).

      ## Where an option can be set

      Unless its row says otherwise, an option can be set in all of these places. A place overrides those above it:

      1. the default that the tables show,
      2. `tony-site.xml` in the folder `TONY_CONF_DIR`,
      3. the job type's `plugin.properties`,
      4. `tony.xml`, beside the job file,
      5. flow parameters, `.properties` files and the `.job` file (or Flow 2.0 YAML): Azkaban makes one of them,
      6. on the command line, `-conf KEY=VALUE`.

      Where a table says *adds up*, the values of all places count. What an XML file declares as `<final>`, no later
      place overrides.

      An unknown `tony.*` key is an error. Some options have other names: LinkedIn TonY's, or a shorter one for `.job` files. Where
      a job sets several, the short name counts, of two short ones the first in the table, and of two `tony.*` names the first.
      Of `shell_env` and `tony.execution.envs`, both count.

      ## What a value looks like

      | value | what is written |
      |---|---|
      | text | anything; it arrives exactly as written, blanks and quotes included. Blanks alone are none, but for a variable |
      | name | a name or a path; blanks around it are not part of it |
      | int, long, double | a number; `-1` where the table says so |
      | boolean | `true` or `false` |
      | size | a number with `m`, `g` or `t`. Without a unit, it is in the one that the table names |
      | duration | a number with `ms`, `s`, `m`, `h` or `d`. Without a unit, it is in the one that the table names. As a limit, 0 means none |
      | ports | `30000-30100`, or one port |
      | list | parts separated by commas |
      | map | `NAME=VALUE`, separated by commas |

      - **`${name}` and `$(expression)`** in a job are filled in by Azkaban before the step starts.
      - **`$NAME`** is not: TonY expands nothing. In a command line, the shell of the task's container does.
      - In `tony.xml`, `${name}` stays as it is.

      ## Who sets it

      | | |
      |---|---|
      | author | the author of the flow, in the job |
      | platform | the platform team, for all jobs: in `plugin.properties` as a default, in `tony-site.xml` as `<final>` where no job may override it |
      | TonY | TonY itself |
      """;

  private static final Pattern PAGE = Pattern.compile("\\b(?:docs/)?([a-z-]+\\.md)\\b");

  private ConfigDocs() {}

  /** Returns the content of {@code docs/configuration.md}. */
  public static String markdown() {
    StringBuilder page = new StringBuilder(INTRO);
    for (Chapters.Chapter chapter : Chapters.ALL) {
      page.append("\n## ").append(chapter.title()).append("\n\n");
      if (!chapter.intro().isEmpty()) {
        page.append(withLinks(chapter.intro())).append("\n\n");
      }
      page.append("| option | value | default | set by | what it does |\n");
      page.append("|---|---|---|---|---|\n");
      chapter.options().forEach(option -> page.append(row(option)));
    }
    page.append(
        """

        ## Refused

        A job that sets one of these to anything but its default would not do what it says.

        | option | default | what it is in LinkedIn TonY | instead |
        |---|---|---|---|
        """);
    Registry.all().stream()
        .filter(option -> option.support() == Support.REFUSED)
        .forEach(option -> page.append(unsupported(option)));
    page.append(
        """

        ## Accepted, without effect

        Keys of LinkedIn TonY that a job may keep. Each gives a warning.

        | option | default | what it is in LinkedIn TonY | instead |
        |---|---|---|---|
        """);
    Registry.all().stream()
        .filter(option -> option.support() == Support.WITHOUT_EFFECT)
        .forEach(option -> page.append(unsupported(option)));
    for (RemovedKey removed : RemovedKeys.ALL) {
      page.append(line(code(removed.key()), "", "", removed.remedy()));
    }
    return page.toString();
  }

  private static String row(ConfigOption<?> option) {
    return line(
        anchor(option) + names(option),
        values(option),
        option.whenUnset().isEmpty() ? code(option.defaultText()) : option.whenUnset(),
        option.setBy().toString(),
        withLinks(meaning(option)));
  }

  /** Returns the place in the page that {@code #tony.am.memory}, for example, leads to. */
  private static String anchor(ConfigOption<?> option) {
    return "<a id=\"" + option.key().replaceAll("[{}]", "") + "\"></a>";
  }

  private static String values(ConfigOption<?> option) {
    if (option.type().equals("enum")) {
      return "`" + option.unit().replace(", ", "`, `") + "`";
    }
    return option.unit().isEmpty() ? option.type() : option.type() + ", " + option.unit();
  }

  private static String unsupported(ConfigOption<?> option) {
    return line(
        code(option.key()), code(option.defaultText()), option.doc(), withLinks(option.remark()));
  }

  private static String line(String... cells) {
    List<String> escaped = new ArrayList<>();
    for (String cell : cells) {
      escaped.add(cell.replace("|", "\\|"));
    }
    return "| " + String.join(" | ", escaped) + " |\n";
  }

  /** Returns the option's key and its other names, one per line. */
  private static String names(ConfigOption<?> option) {
    StringBuilder names = new StringBuilder(code(option.key()));
    option.jobSpellings().forEach(name -> names.append("<br>in a job ").append(code(name)));
    option.aliases().forEach(name -> names.append("<br>also ").append(code(name)));
    option.oldNames().forEach(name -> names.append("<br>old name ").append(code(name)));
    return names.toString();
  }

  private static String meaning(ConfigOption<?> option) {
    return option.doc()
        + (option.isMultiValue() ? " *Adds up.*" : "")
        + (option.isSecret() ? " *Never shown.*" : "");
  }

  private static String withLinks(String text) {
    return PAGE.matcher(text).replaceAll("[$1]($1)");
  }

  private static String code(@Nullable String text) {
    return text == null || text.isEmpty() ? "" : "`" + text + "`";
  }
}
