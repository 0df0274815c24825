package io.tony.config.job;

import io.tony.config.JobTranslation;
import io.tony.config.TonyConfig;
import io.tony.config.TonyConfig.AliasUse;
import io.tony.config.declared.Registry;
import io.tony.config.declared.RemovedKeys;
import io.tony.config.declared.RemovedKeys.RemovedKey;
import io.tony.config.option.RoleNames;
import io.tony.config.option.RoleOption;
import java.util.List;
import java.util.Optional;

/**
 * Reports the keys of a configuration that are unknown, removed or without effect. Does not look at
 * their values.
 */
public final class KeyCheck {
  private static final String MASTER = "tony.am.";

  private KeyCheck() {}

  public static Problems check(TonyConfig config) {
    Problems problems = new Problems();
    for (String key : config.asMap().keySet()) {
      checkKey(key, config, problems);
    }
    config.aliasUses().forEach(name -> checkName(name, problems));
    config
        .overriddenValues()
        .forEach(
            key ->
                problems.addWarning(
                    key.key()
                        + " ("
                        + key.origin()
                        + ") has no effect: "
                        + key.finalIn()
                        + " declares its own value as final"));
    return problems;
  }

  private static void checkName(AliasUse name, Problems problems) {
    String where = name.alias() + " (" + name.origin() + ")";
    if (!name.effective()) {
      problems.addWarning(
          where + " has no effect: " + name.key() + " is set there, too, and means the same");
    } else if (Registry.isOldName(name.alias())) {
      problems.addWarning(where + " is the old name of " + name.key() + ": write the new one");
    }
  }

  private static void checkKey(String key, TonyConfig config, Problems problems) {
    String where = key + " (" + config.origin(key).orElse("") + ")";
    if (!key.startsWith("tony.")) {
      problems.addWarning(
          where
              + " has no effect: "
              + JobTranslation.suggest(key)
                  .map(name -> "did you mean " + name + "?")
                  .orElse("only keys that begin with tony. are options"));
      return;
    }
    Optional<RemovedKey> removed = RemovedKeys.find(key);
    if (removed.isPresent()) {
      problems.addWarning(where + " has no effect: " + removed.get().remedy());
    } else if (Registry.lookup(key).isEmpty()) {
      problems.addError(
          where
              + " is not an option: "
              + Registry.suggest(key, config.roles())
                  .map(name -> "did you mean " + name + "?")
                  .orElseGet(() -> remedy(key)));
    } else {
      checkRoleOfKey(key, config, problems);
    }
  }

  /**
   * Returns what to do about an unknown key, for a message. If the key is a role option with {@code
   * am} in place of the role, which platform teams often write, says that {@code am} is not a role.
   */
  private static String remedy(String key) {
    String all = "docs/configuration.md lists all; remove it";
    String option = key.startsWith(MASTER) ? key.substring(MASTER.length()) : "";
    return Registry.lookup("tony.worker." + option).isPresent()
        ? "a role can have it, and am is the ApplicationMaster; " + all
        : all;
  }

  /**
   * Warns if the key is an option for a role that the job does not have. Does not warn for
   * customary role names, because a site may set defaults for them.
   */
  private static void checkRoleOfKey(String key, TonyConfig config, Problems problems) {
    Optional<RoleOption<?>> pattern = Registry.pattern(key).filter(RoleOption::isPerRole);
    if (pattern.isEmpty()) {
      return;
    }
    List<String> names = pattern.get().names(key).orElseThrow();
    String role = names.get(0);
    if (!config.roles().contains(role)
        && !RoleNames.isCustomary(role)
        && !ImplicitRoles.reads(pattern.get(), role)) {
      problems.addWarning(
          key
              + " has no effect: the job has no role "
              + role
              + "; "
              + Registry.nearest(role, config.roles(), 2)
                  .map(name -> "did you mean " + pattern.get().withFirst(name, names) + "?")
                  .orElse("set tony." + role + ".instances"));
    }
  }
}
