package io.tony.am.rendezvous;

import io.tony.am.http.HttpExchange;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;

/** Who has come to a barrier of the {@link HttpStore}, and who waits for the rest. */
final class Barrier {
  private static final int MAX_NAMED_MEMBERS = 20;

  final int size;
  final Set<String> members = new LinkedHashSet<>();
  final Set<HttpExchange> waiting = new LinkedHashSet<>();

  Barrier(int size) {
    this.size = size;
  }

  /** For the text of an answer, which as many as have come may get. */
  String names() {
    String some =
        members.stream().limit(MAX_NAMED_MEMBERS).collect(Collectors.joining(", ", "[", "]"));
    int more = members.size() - MAX_NAMED_MEMBERS;
    return more <= 0 ? some : some + " and " + more + " more";
  }
}
