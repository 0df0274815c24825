package io.tony.client.check.project;

import java.util.List;
import java.util.Map;

/**
 * Node of a {@code .flow} file, as Azkaban's loader reads it: the flow itself, a job or an embedded
 * flow.
 *
 * @param name empty if missing
 * @param type empty if missing
 * @param condition null if missing
 * @param nodes the nodes of a flow; null if missing
 */
record FlowNode(
    String name,
    String type,
    String condition,
    Map<String, String> config,
    List<String> dependencies,
    List<FlowNode> nodes) {}
