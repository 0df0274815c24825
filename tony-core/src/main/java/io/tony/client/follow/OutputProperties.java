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
 * What a step leaves for the later jobs of its flow: one flat JSON object of strings.
 *
 * @param leftOut the names of what Azkaban would not hand on as it is
 */
public record OutputProperties(Map<String, String> values, List<String> leftOut) {
  /** Azkaban puts other properties in the place of the one, and evaluates the other as code. */
  private static final Pattern EVALUATED = Pattern.compile("\\$([{(]|$)");

  public OutputProperties {
    values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    leftOut = List.copyOf(leftOut);
  }

  public static OutputProperties of(
      String application,
      String trackingUrl,
      JobResult result,
      JobStory story,
      String checkpoints,
      TaskId chief) {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("tony.application.id", application);
    values.put("tony.tracking.url", trackingUrl);
    values.put("tony.tensorboard.url", story.tensorBoard());
    values.put("tony.final.status", result.status().name());
    values.put("tony.failure.kind", result.kind() == null ? "" : result.kind().name());
    values.put("tony.checkpoint.dir", Secrets.maskText(checkpoints));
    values.put("tony.checkpoint.latest", Secrets.maskText(story.checkpoint(chief)));
    story
        .logs()
        .forEach(
            (task, url) ->
                values.put("tony.task." + task.role() + "." + task.index() + ".log.url", url));
    story.outputs().forEach((name, value) -> values.put("tony." + name, value));
    List<String> leftOut =
        values.entrySet().stream()
            .filter(entry -> EVALUATED.matcher(entry.getKey() + "=" + entry.getValue()).find())
            .map(Map.Entry::getKey)
            .toList();
    leftOut.forEach(values::remove);
    return new OutputProperties(values, leftOut);
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
