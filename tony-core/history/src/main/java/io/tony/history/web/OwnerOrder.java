package io.tony.history.web;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Orders keys, such as queue names, that come from the event logs of several owners, so that the
 * list can be truncated fairly: first the top key of each owner, then the second of each, and so
 * on. Even if one owner invents many keys, the top keys of other owners stay at the front.
 */
final class OwnerOrder {
  private OwnerOrder() {}

  private record Ranked<K, V extends Comparable<V>>(K key, V value, int rank) {}

  /**
   * Returns the keys of all owners in this order, without duplicates.
   *
   * @param byOwner weights by key, for each owner; keys with greater weights come first
   */
  static <K, V extends Comparable<V>> List<K> of(Map<String, Map<K, V>> byOwner) {
    Map<K, Ranked<K, V>> best = new HashMap<>();
    Comparator<Ranked<K, V>> first =
        Comparator.<Ranked<K, V>>comparingInt(Ranked::rank)
            .thenComparing(Ranked::value, Comparator.reverseOrder())
            .thenComparing(one -> one.key().toString());
    for (Map<K, V> own : byOwner.values()) {
      List<Map.Entry<K, V>> sorted = new ArrayList<>(own.entrySet());
      sorted.sort(
          Map.Entry.<K, V>comparingByValue(Comparator.reverseOrder())
              .thenComparing(one -> one.getKey().toString()));
      for (int rank = 0; rank < sorted.size(); rank++) {
        K key = sorted.get(rank).getKey();
        best.merge(
            key,
            new Ranked<>(key, sorted.get(rank).getValue(), rank),
            (one, other) -> Collections.min(List.of(one, other), first));
      }
    }
    return best.values().stream().sorted(first).map(Ranked::key).toList();
  }

  /**
   * Returns the modifiable map of one owner's weights by key; adds an empty map if the owner has
   * none.
   */
  static <K, V extends Comparable<V>> Map<K, V> forOwner(
      Map<String, Map<K, V>> byOwner, String owner) {
    return byOwner.computeIfAbsent(owner, name -> new LinkedHashMap<>());
  }
}
