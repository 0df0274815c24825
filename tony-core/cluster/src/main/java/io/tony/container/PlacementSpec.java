package io.tony.container;

import io.tony.model.Placement;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.yarn.api.resource.PlacementConstraint;
import org.apache.hadoop.yarn.api.resource.PlacementConstraint.AbstractConstraint;
import org.apache.hadoop.yarn.api.resource.PlacementConstraint.And;
import org.apache.hadoop.yarn.api.resource.PlacementConstraint.Or;
import org.apache.hadoop.yarn.api.resource.PlacementConstraint.SingleConstraint;
import org.apache.hadoop.yarn.api.resource.PlacementConstraint.TargetExpression;
import org.apache.hadoop.yarn.api.resource.PlacementConstraints;
import org.apache.hadoop.yarn.api.resource.PlacementConstraints.PlacementTargets;
import org.apache.hadoop.yarn.util.constraint.PlacementConstraintParseException;
import org.apache.hadoop.yarn.util.constraint.PlacementConstraintParser;

/**
 * Converts placement constraints from the users' notation into YARN's type. The notation is the one
 * of YARN's document "Placement Constraints", without the tag and count that YARN's
 * DistributedShell expects in front: a role already has both.
 */
public final class PlacementSpec {
  /** Examples for error messages about a constraint that cannot be parsed. */
  public static final String EXAMPLES =
      "write for example notin,node,worker (never beside a container with the tag worker),"
          + " in,rack,ps, cardinality,node,worker,0,1 or and(notin,node,ps:in,rack,ps)";

  private PlacementSpec() {}

  /**
   * Parses a constraint.
   *
   * @throws IllegalArgumentException if the constraint is malformed; the message is YARN's error
   */
  public static PlacementConstraint parse(String text) {
    AbstractConstraint constraint;
    try {
      constraint = PlacementConstraintParser.parseExpression(text);
    } catch (PlacementConstraintParseException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    } catch (RuntimeException e) {
      // Thrown by YARN's parser for a truncated expression, because it reads beyond the end.
      throw new IllegalArgumentException("Invalid constraint expression " + text, e);
    }
    if (!hasTargets(constraint)) {
      throw new IllegalArgumentException("The expression names no tag: " + text);
    }
    return constraint.build();
  }

  private static boolean hasTargets(AbstractConstraint constraint) {
    if (constraint instanceof And and) {
      return and.getChildren().stream().allMatch(PlacementSpec::hasTargets);
    }
    if (constraint instanceof Or or) {
      return or.getChildren().stream().allMatch(PlacementSpec::hasTargets);
    }
    return !(constraint instanceof SingleConstraint single)
        || !single.getTargetExpressions().isEmpty();
  }

  /**
   * Returns the constraint of a YARN request for containers: the role's constraint and its node
   * label in one, because a request with a constraint has no field for a label. Empty if any node
   * is allowed.
   *
   * @param applicationLabel node label for containers without a label of their own
   * @throws IllegalArgumentException if the constraint cannot be parsed, or if a constraint
   *     composed of others is combined with a label: YARN evaluates a label in a simple constraint
   *     only
   */
  public static Optional<PlacementConstraint> of(Placement placement, String applicationLabel) {
    String label = placement.nodeLabel();
    if (placement.constraint().isEmpty()) {
      return label.isEmpty()
          ? Optional.empty()
          : Optional.of(
              PlacementConstraints.targetIn(
                      PlacementConstraints.NODE, PlacementTargets.nodePartition(label))
                  .build());
    }
    PlacementConstraint constraint = parse(placement.constraint());
    if (label.isEmpty()) {
      return Optional.of(constraint);
    }
    if (constraint.getConstraintExpr() instanceof SingleConstraint single) {
      return Optional.of(labelled(single, label));
    }
    if (label.equals(applicationLabel)) {
      return Optional.of(constraint);
    }
    throw new IllegalArgumentException(
        "YARN takes no node label ("
            + label
            + ") together with a constraint that is made of others, unless it is the label of the"
            + " whole application (tony.application.node-label)");
  }

  private static PlacementConstraint labelled(SingleConstraint single, String label) {
    Set<TargetExpression> targets = new HashSet<>(single.getTargetExpressions());
    targets.add(PlacementTargets.nodePartition(label));
    return new SingleConstraint(
            single.getScope(),
            single.getMinCardinality(),
            single.getMaxCardinality(),
            single.getNodeAttributeOpCode(),
            targets)
        .build();
  }
}
