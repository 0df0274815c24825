package io.tony.am.rendezvous;

import io.tony.am.http.HttpExchange;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A barrier of the {@link HttpStore}: the members that have arrived, and their requests that wait
 * for the other members.
 */
final class Barrier {
  private static final int MAX_NAMED_MEMBERS = 20;

  final int size;
  final Set<String> members = new LinkedHashSet<>();
  final Set<HttpExchange> waiting = new LinkedHashSet<>();

  Barrier(int size) {
    this.size = size;
  }

  /**
   * Returns the names of the arrived members as text for an answer. Contains at most {@link
   * #MAX_NAMED_MEMBERS} names, because each waiting member may get the text.
   */
  String names() {
    String some =
        members.stream().limit(MAX_NAMED_MEMBERS).collect(Collectors.joining(", ", "[", "]"));
    int more = members.size() - MAX_NAMED_MEMBERS;
    return more <= 0 ? some : some + " and " + more + " more";
  }
}
