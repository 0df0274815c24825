package io.tony.client.follow;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.tony.config.Secrets;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The properties that a step passes to the later jobs of its flow: about the job itself and the
 * outputs of the user's programs.
 *
 * @param values the properties, which Azkaban reads as a flat JSON object of strings
 * @param omittedNames names of properties that are left out because Azkaban would evaluate their
 *     text
 */
public record OutputProperties(Map<String, String> values, List<String> omittedNames) {
  /**
   * Matches text that Azkaban would evaluate: {@code $} before a brace (a reference to a property)
   * or a parenthesis (code), or at the end.
   */
  private static final Pattern EVALUATED = Pattern.compile("\\$([{(]|$)");

  private static final String OUTPUT_PREFIX = "tony.output.";

  /** Characters that must not occur in the name in an Azkaban reference <code>${name}</code>. */
  private static final String NOT_IN_REFERENCES = "[^A-Za-z0-9_.]";

  /**
   * Maximum number of characters of all names and values that {@link #withStepNames} adds; equals
   * {@link JobView#MAX_OUTPUT_CHARS}.
   */
  private static final int MAX_CHARACTERS = 1024 * 1024;

  public OutputProperties {
    values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    omittedNames = List.copyOf(omittedNames);
  }

  public static OutputProperties of(
      String application,
      String trackingUrl,
      JobResult result,
      JobView jobView,
      String checkpoints,
      TaskId chief) {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("tony.application.id", application);
    values.put("tony.tracking.url", trackingUrl);
    values.put("tony.tensorboard.url", jobView.tensorBoard());
    values.put("tony.final.status", result.status().name());
    values.put("tony.failure.kind", result.kind() == null ? "" : result.kind().name());
    values.put("tony.checkpoint.dir", Secrets.maskText(checkpoints));
    values.put("tony.checkpoint.latest", Secrets.maskText(jobView.checkpoint(chief)));
    jobView
        .logs()
        .forEach(
            (task, url) ->
                values.put("tony.task." + task.role() + "." + task.index() + ".log.url", url));
    jobView.outputs().forEach((name, value) -> values.put("tony." + name, value));
    List<String> omittedNames =
        values.entrySet().stream()
            .filter(entry -> EVALUATED.matcher(entry.getKey() + "=" + entry.getValue()).find())
            .map(Map.Entry::getKey)
            .toList();
    omittedNames.forEach(values::remove);
    return new OutputProperties(values, omittedNames);
  }

  /**
   * Returns a copy that also contains each output of the user's programs as {@code
   * tony.output.STEP.KEY}, because later steps see only one of the values if two steps publish the
   * same key. If these additional properties are too large for Azkaban, none of them is added.
   *
   * @param job the step's id in Azkaban, with the path through embedded flows
   */
  public OutputProperties withStepNames(String job) {
    String step = job.substring(job.lastIndexOf(':') + 1).replaceAll(NOT_IN_REFERENCES, "_");
    Map<String, String> all = new LinkedHashMap<>();
    int characters = 0;
    for (Map.Entry<String, String> value : values.entrySet()) {
      if (value.getKey().startsWith(OUTPUT_PREFIX)) {
        String name = OUTPUT_PREFIX + step + "." + value.getKey().substring(OUTPUT_PREFIX.length());
        all.put(name, value.getValue());
        characters += name.length() + value.getValue().length();
      }
    }
    boolean fit = characters <= MAX_CHARACTERS;
    all.putAll(values); // last, so that existing properties are not overwritten
    return fit ? new OutputProperties(all, omittedNames) : this;
  }

  public void write(Path file) throws IOException {
    try (JsonGenerator json = new JsonFactory().createGenerator(file.toFile(), JsonEncoding.UTF8)) {
      json.writeStartObject();
      for (Map.Entry<String, String> value : values.entrySet()) {
        json.writeStringField(value.getKey(), value.getValue());
      }
      json.writeEndObject();
    }
  }
}
