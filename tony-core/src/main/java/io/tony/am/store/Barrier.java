package io.tony.am.store;

import io.tony.am.serve.HttpConversation;
import java.util.LinkedHashSet;
import java.util.Set;

/** Who has come to a barrier of the {@link HttpStore}, and who waits for the rest. */
final class Barrier {
  final int size;
  final Set<String> members = new LinkedHashSet<>();
  final Set<HttpConversation> waiting = new LinkedHashSet<>();

  Barrier(int size) {
    this.size = size;
  }
}
