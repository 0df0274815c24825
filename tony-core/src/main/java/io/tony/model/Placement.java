package io.tony.model;

import java.util.Set;

/**
 * Where the containers of a role may run.
 *
 * @param nodeLabel YARN node label expression; empty for the queue's default
 * @param constraint YARN placement constraint in the notation of DistributedShell ({@code
 *     notin,node,ps}); empty for none
 * @param tags YARN allocation tags of the containers; constraints refer to them
 */
public record Placement(String nodeLabel, String constraint, Set<String> tags) {
  /** No restriction beyond the queue's own. */
  public static final Placement ANYWHERE = new Placement("", "", Set.of());

  public Placement {
    tags = Set.copyOf(tags);
  }
}
