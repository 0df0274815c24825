package io.tony.config.declared;

import io.tony.config.declared.RemovedKeys.RemovedKey;
import io.tony.config.option.ConfigOption;
import io.tony.config.option.ConfigOption.Support;
import java.util.ArrayList;
import java.util.List;

/** Writes {@code docs/configuration.md} from the registry. */
public final class ConfigDocs {
  private static final String INTRO =
      """
      # Configuration

      <!-- Generated from io.tony.config.declared; ConfigDocsTest tells how to write it anew. -->

      Every option can be set in a `.job` file, in Flow 2.0 YAML, in `tony.xml`, in the job type's
      `plugin.properties` and as `-conf key=value` on the command line. From the lowest to the highest:
      the defaults below, `tony-site.xml` in `TONY_CONF_DIR`, `plugin.properties`, `tony.xml`, flow and job
      properties, `-conf`. A value overrides the one below it; where a table says *adds up*, the
      values of all sources count. A property that an XML file declares as `<final>` is not overridden.

      - A **size** is a number with `m`, `g` or `t`; without a unit it is in MiB.
      - A **duration** is a number with `ms`, `s`, `m`, `h` or `d`; without a unit it is in the unit named beside
        the type. As a limit, 0 means that there is none.
      - A **list** is separated by commas, and so are the `NAME=VALUE` entries of a **map**.
      - A **string** is taken exactly as written. Nothing in a value is expanded, and none passes through a
        shell; only a command line is run by one, in the container of its task.

      An unknown `tony.*` key is an error. So is a key marked *not in this version*, when it is set to
      anything but its default.
      """;

  private ConfigDocs() {}

  /** The whole page. */
  public static String markdown() {
    StringBuilder page = new StringBuilder(INTRO);
    for (Registry.Section section : Registry.sections()) {
      page.append("\n## ").append(section.title()).append("\n\n");
      if (!section.intro().isEmpty()) {
        page.append(section.intro()).append("\n\n");
      }
      page.append("| key | type | default | meaning | in a `.job` |\n|---|---|---|---|---|\n");
      section.options().forEach(option -> page.append(row(option)));
    }
    page.append(
        """

        ## Keys of TonY that have no effect

        They are accepted with a warning.

        | key | why, and what to do instead |
        |---|---|
        """);
    for (RemovedKey removed : RemovedKeys.ALL) {
      page.append("| `").append(removed.key()).append("` | ").append(cell(removed.remedy()));
      page.append(" |\n");
    }
    return page.toString();
  }

  private static String row(ConfigOption<?> option) {
    return String.join(
            " | ",
            "| `" + option.key() + "`",
            cell(type(option)),
            code(option.defaultText()),
            cell(meaning(option)),
            code(option.jobSpelling()) + " |")
        + "\n";
  }

  private static String type(ConfigOption<?> option) {
    String unit = option.unit().isEmpty() ? "" : " (" + option.unit() + ")";
    return option.type() + unit;
  }

  private static String meaning(ConfigOption<?> option) {
    List<String> sentences = new ArrayList<>();
    sentences.add(option.doc());
    if (option.multiValue()) {
      sentences.add("*Adds up.*");
    }
    if (option.secret()) {
      sentences.add("*Never shown.*");
    }
    if (option.support() == Support.REFUSED) {
      sentences.add("*Not in this version:* " + option.remark() + ".");
    }
    if (option.support() == Support.WITHOUT_EFFECT) {
      sentences.add("*Accepted, without effect:* " + option.remark() + ".");
    }
    for (String alias : option.aliases()) {
      sentences.add("Deprecated name: `" + alias + "`.");
    }
    return String.join(" ", sentences);
  }

  private static String code(String text) {
    return text == null || text.isEmpty() ? "" : "`" + cell(text) + "`";
  }

  private static String cell(String text) {
    return text.replace("|", "\\|");
  }
}
