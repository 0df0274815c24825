package io.tony.client.check.project;

import java.util.List;
import java.util.Map;

/**
 * A node of a {@code .flow} file, as Azkaban's loader reads it: the flow itself, a job or an
 * embedded flow.
 *
 * @param name empty where there is none
 * @param type empty where there is none
 * @param condition null for none
 * @param nodes those of a flow; null where the node has none
 */
record FlowNode(
    String name,
    String type,
    String condition,
    Map<String, String> config,
    List<String> dependencies,
    List<FlowNode> nodes) {}
