package io.tony.history.web;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts figures that jobs' own logs name into an order of which the first may be told: the first of
 * each owner, then the second of each, and so on. However many names one owner invents, they push
 * nobody else's first ones out.
 */
final class OwnerOrder {
  private OwnerOrder() {}

  private record Ranked<K, V extends Comparable<V>>(K key, V value, int rank) {}

  /**
   * The keys of all owners, each once.
   *
   * @param byOwner the keys of each owner with their weights; the greatest comes first
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

  /** Keys with their weights, by owner, to be filled. */
  static <K, V extends Comparable<V>> Map<K, V> forOwner(
      Map<String, Map<K, V>> byOwner, String owner) {
    return byOwner.computeIfAbsent(owner, name -> new LinkedHashMap<>());
  }
}
