package io.tony.config.option;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Defines which names of roles are allowed, and in which order roles are listed. */
public final class RoleNames {
  /** Regular expression for a role's name. */
  static final String PATTERN = "[A-Za-z][A-Za-z0-9_-]*";

  private static final Pattern NAME = Pattern.compile(PATTERN);

  /**
   * Words that can follow {@code tony.} in keys that are not role options. A role must not have
   * such a name, because its keys would be ambiguous.
   */
  private static final Set<String> RESERVED =
      Set.of(
          "am",
          "application",
          "azkaban",
          "client",
          "container",
          "containers",
          "docker",
          "execution",
          "gang",
          "history",
          "horovod",
          "http",
          "https",
          "init",
          "java",
          "keytab",
          "other",
          "portal",
          "secret",
          "staging",
          "task",
          "version-info",
          "yarn");

  private static final List<String> FIRST_ROLES =
      List.of("chief", "master", "ps", "worker", "evaluator");

  private static final Set<String> CUSTOMARY =
      Set.of(
          "chief",
          "driver",
          "evaluator",
          "master",
          "notebook",
          "ps",
          "scheduler",
          "server",
          "tensorboard",
          "worker");

  /** Order of roles: chief, master, ps, worker, evaluator, then all others by name. */
  public static final Comparator<String> ORDER =
      Comparator.comparingInt(RoleNames::rank).thenComparing(Comparator.naturalOrder());

  private RoleNames() {}

  public static boolean isValid(String name) {
    return NAME.matcher(name).matches() && !RESERVED.contains(name);
  }

  /**
   * Returns true for a word that can follow {@code tony.} in keys that are not role options; a role
   * must not have this name.
   */
  public static boolean isReserved(String name) {
    return RESERVED.contains(name);
  }

  /**
   * Returns true for a role name for which sites often set defaults, even if a job has no such
   * role.
   */
  public static boolean isCustomary(String name) {
    return CUSTOMARY.contains(name);
  }

  private static int rank(String name) {
    int index = FIRST_ROLES.indexOf(name);
    return index < 0 ? FIRST_ROLES.size() : index;
  }
}
