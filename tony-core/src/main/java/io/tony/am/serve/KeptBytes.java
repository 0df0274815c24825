package io.tony.am.serve;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * How much a server keeps for its callers: requests that have come in part, and answers that are
 * not read. An answer counts once, however many are told it.
 */
final class KeptBytes {
  private final IdentityHashMap<byte[], Integer> answers = new IdentityHashMap<>();
  private final long most;
  private final List<Set<Caller>> callers;
  private final RefusalLog refusals;
  private long bytes;

  /** {@code callers} are closed for room: first those of the first set, the oldest first. */
  KeptBytes(long most, List<Set<Caller>> callers, RefusalLog refusals) {
    this.most = most;
    this.callers = callers;
    this.refusals = refusals;
  }

  /** So many bytes of requests more, or fewer. */
  void add(int more) {
    bytes += more;
  }

  /** One more is told it. */
  void add(byte[] answer) {
    if (answers.merge(answer, 1, Integer::sum) == 1) {
      bytes += answer.length;
    }
  }

  /** One of those has read it, or is gone. */
  void remove(byte[] answer) {
    if (answers.computeIfPresent(answer, (same, count) -> count == 1 ? null : count - 1) == null) {
      bytes -= answer.length;
    }
  }

  /** Closes callers for which something is kept, while it is too much. */
  void makeRoom() {
    if (bytes <= most) {
      return;
    }
    refusals.tell(
        "bytes of unfinished requests and unread answers",
        "above " + most + ": the oldest are closed");
    for (Set<Caller> some : callers) {
      for (Caller oldest : List.copyOf(some)) {
        if (bytes <= most) {
          return;
        }
        if (oldest.keepsBytes()) {
          oldest.close();
        }
      }
    }
  }
}
