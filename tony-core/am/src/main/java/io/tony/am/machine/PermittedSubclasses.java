package io.tony.am.machine;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Finds the classes of a sealed hierarchy, so that a table with an entry for each class can be
 * checked for missing entries.
 */
public final class PermittedSubclasses {
  private PermittedSubclasses() {}

  /**
   * Returns all classes and interfaces below a sealed type that are not sealed themselves, in the
   * order of their declaration.
   */
  public static <T> Set<Class<? extends T>> of(Class<T> sealed) {
    Set<Class<? extends T>> members = new LinkedHashSet<>();
    collect(sealed, sealed, members);
    return members;
  }

  private static <T> void collect(Class<T> root, Class<?> type, Set<Class<? extends T>> members) {
    if (!type.isSealed()) {
      members.add(type.asSubclass(root));
      return;
    }
    for (Class<?> member : type.getPermittedSubclasses()) {
      collect(root, member, members);
    }
  }
}
