package io.tony.client.check.project;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One node of a {@code .flow} file as Azkaban's loader understands it: the flow of the file, a job,
 * or an embedded flow.
 *
 * @param name empty if missing
 * @param type empty if missing
 * @param condition null if missing
 * @param nodes the child nodes of a flow or an embedded flow; null if missing
 */
record FlowNode(
    String name,
    String type,
    @Nullable String condition,
    Map<String, String> config,
    List<String> dependencies,
    @Nullable List<FlowNode> nodes) {}
