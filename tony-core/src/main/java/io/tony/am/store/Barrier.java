package io.tony.am.store;

import java.util.ArrayList;
import java.util.List;

/** Who has come to a barrier of the {@link HttpStore}, and who waits for the rest. */
final class Barrier {
  final int size;
  final List<String> members = new ArrayList<>();
  final List<HeldExchange> waiting = new ArrayList<>();

  Barrier(int size) {
    this.size = size;
  }
}
