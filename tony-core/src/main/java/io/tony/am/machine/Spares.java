package io.tony.am.machine;

import io.tony.model.RoleSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * Containers that an elastic gang has asked for while it runs, to grow into. Nothing is launched in
 * them yet.
 *
 * @param role as which they are asked for
 * @param wanted how many
 * @param held those that have come
 * @param asked whether no more are waited for, and the programs are asked for a checkpoint
 */
record Spares(RoleSpec role, int wanted, List<Event.ContainerAllocated> held, boolean asked) {
  Spares {
    held = List.copyOf(held);
  }

  Spares with(Event.ContainerAllocated one) {
    List<Event.ContainerAllocated> more = new ArrayList<>(held);
    more.add(one);
    return new Spares(role, wanted, more, asked);
  }

  Spares complete() {
    return new Spares(role, held.size(), held, true);
  }

  int missing() {
    return wanted - held.size();
  }
}
