package io.tony.azkaban4;

import java.util.LinkedHashMap;
import java.util.Map;

/** How a flow is executed: what a person sets in Azkaban's dialog before pressing Execute. */
final class FlowOptions {

  private final Map<String, String> fields = new LinkedHashMap<>();
  private int slaCount;

  /** A flow parameter. */
  FlowOptions parameter(String name, String value) {
    fields.put("flowOverride[" + name + "]", value);
    return this;
  }

  /** The execution runs beside one that runs already. */
  FlowOptions concurrent() {
    fields.put("concurrentOption", "ignore");
    return this;
  }

  /** Jobs that do not depend on a failed one still run. */
  FlowOptions finishPossible() {
    fields.put("failureAction", "finishPossible");
    return this;
  }

  /** Ends a job, or with an empty name the flow, that has not succeeded after so many minutes. */
  FlowOptions killedAfter(String job, int minutes) {
    fields.put("slaEmails", "");
    fields.put(
        "slaSettings[" + slaCount++ + "]", "%s,SUCCESS,00:%02d,false,true".formatted(job, minutes));
    return this;
  }

  /** As parameters of Azkaban's {@code executeFlow}. */
  Map<String, String> fields() {
    return fields;
  }
}
