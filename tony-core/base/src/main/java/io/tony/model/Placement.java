package io.tony.model;

import java.util.Set;

/**
 * Where YARN may place the containers of a role.
 *
 * @param nodeLabel YARN node label expression; empty for the queue's default
 * @param constraint YARN placement constraint, such as {@code notin,node,ps}; empty for none
 * @param tags YARN allocation tags of the role's containers, to which constraints can refer
 */
public record Placement(String nodeLabel, String constraint, Set<String> tags) {
  /** No label, constraint or tag. */
  public static final Placement ANYWHERE = new Placement("", "", Set.of());

  public Placement {
    tags = Set.copyOf(tags);
  }
}
