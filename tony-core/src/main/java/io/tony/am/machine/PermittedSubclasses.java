package io.tony.am.machine;

import java.util.LinkedHashSet;
import java.util.Set;

/** The records of a sealed family: what a table by class must have a row for. */
public final class PermittedSubclasses {
  private PermittedSubclasses() {}

  /** All classes below a sealed interface that permit no others, in the order of declaration. */
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
