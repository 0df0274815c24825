package io.tony.migration;

import io.tony.config.declared.Registry;
import io.tony.config.declared.RemovedKeys;
import io.tony.config.declared.RemovedKeys.RemovedKey;
import io.tony.config.option.ConfigOption;
import io.tony.config.option.ConfigOption.Support;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Writes {@code docs/migration-tables.md} from what LinkedIn TonY had and what the registry says of
 * it.
 */
final class MigrationDocs {
  private static final String INTRO =
      """
      # LinkedIn TonY 0.4 and 0.5, name by name

      <!-- Generated from tony-core/src/test/resources/tony-0.5; MigrationDocsTest tells how to write it anew. -->

      Every option, command and variable of LinkedIn TonY 0.4.0 to 0.5.3, and what became of it.
      [migration.md](migration.md) says how to move.

      ## Options

      *Works* means: the same key, with the same meaning. A key without effect gives a warning, and the job runs.

      | option | default in LinkedIn TonY | in TonY |
      |---|---|---|
      """;

  private MigrationDocs() {}

  /** The whole page. */
  static String markdown() throws IOException {
    StringBuilder page = new StringBuilder(INTRO);
    for (FormerTony.Option option : FormerTony.options()) {
      page.append(line(code(option.key()), code(option.defaultText()), fate(option)));
    }
    page.append("\n## Commands\n\n| LinkedIn TonY | TonY |\n|---|---|\n");
    for (FormerTony.Word word : FormerTony.commands()) {
      page.append(line(word.name().contains("`") ? word.name() : code(word.name()), word.here()));
    }
    page.append(
        """

        ## Variables of a program

        | variable | framework | in TonY |
        |---|---|---|
        """);
    for (FormerTony.Variable variable : FormerTony.variables()) {
      boolean ofAll = variable.framework().equals("generic");
      page.append(
          line(code(variable.name()), ofAll ? "" : code(variable.framework()), here(variable)));
    }
    return page.toString();
  }

  private static String here(FormerTony.Variable variable) {
    if (variable.found() != FormerTony.Found.GONE) {
      return variable.here();
    }
    return variable.here().equals("-") ? "not set" : "not set; " + variable.here();
  }

  /** What TonY does with an option of LinkedIn TonY. */
  static String fate(FormerTony.Option former) {
    String key = concrete(former.key());
    Optional<RemovedKey> removed = RemovedKeys.find(key);
    if (removed.isPresent()) {
      return "without effect: " + removed.get().remedy();
    }
    ConfigOption<?> option =
        Registry.lookup(key)
            .orElseThrow(() -> new IllegalStateException(key + " is an error: migrate it"));
    if (option.support() == Support.REFUSED) {
      return "refused: " + option.remark();
    }
    if (option.support() == Support.WITHOUT_EFFECT) {
      return "without effect: " + option.remark();
    }
    List<String> parts = new ArrayList<>();
    parts.add("works");
    if (option.oldNames().contains(key)) {
      parts.add("a warning names " + code(option.key()));
    } else if (!option.key().equals(key)) {
      parts.add("also called " + code(option.key()));
    }
    otherDefault(former, option).ifPresent(parts::add);
    if (!former.remark().isEmpty()) {
      parts.add(former.remark());
    }
    return String.join("; ", parts);
  }

  /** Folders that LinkedIn TonY only gave as examples are no defaults. */
  private static Optional<String> otherDefault(FormerTony.Option former, ConfigOption<?> option) {
    String then = former.defaultText();
    if (then.contains("/to/") || then.startsWith("user1") || option.defaultText() == null) {
      return Optional.empty();
    }
    boolean same =
        then.isEmpty()
            ? option.defaultText().isEmpty() || isNone(option)
            : Objects.equals(option.parse(then), option.defaultValue());
    if (same || former.remark().contains("not set") || former.remark().contains("is set")) {
      return Optional.empty();
    }
    return Optional.of(
        option.defaultText().isEmpty() ? "no default" : "default " + code(option.defaultText()));
  }

  private static boolean isNone(ConfigOption<?> option) {
    return option.defaultText().equals("0");
  }

  private static String concrete(String key) {
    return key.replace("{role}", "worker").replace("{group}", "A").replace("{resource}", "gpus");
  }

  private static String line(String... cells) {
    return "| " + String.join(" | ", cells) + " |\n";
  }

  private static String code(String text) {
    return text.isEmpty() ? "" : "`" + text + "`";
  }
}
