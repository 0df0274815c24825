package io.tony.azkaban4;

import io.tony.testing.BuildArtifacts;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The properties that docs/install.md tells an administrator to set, as the page shows them. */
final class InstallPage {

  private static final String FENCE = "```";

  private InstallPage() {}

  /**
   * The blocks of properties in one section, in their order.
   *
   * @param filledIn what a reader replaces in them, such as a path
   */
  static List<List<String>> properties(String section, Map<String, String> filledIn)
      throws IOException {
    List<List<String>> blocks = new ArrayList<>();
    boolean isSection = false;
    boolean isBlock = false;
    for (String raw : Files.readAllLines(BuildArtifacts.file("docs/install.md"))) {
      String line = raw.strip();
      if (line.startsWith("## ")) {
        isSection = line.equals("## " + section);
      } else if (isBlock && line.equals(FENCE)) {
        isBlock = false;
      } else if (isBlock) {
        blocks.get(blocks.size() - 1).add(fillIn(line, filledIn));
      } else if (isSection && line.equals(FENCE + "properties")) {
        isBlock = true;
        blocks.add(new ArrayList<>());
      }
    }
    return blocks;
  }

  private static String fillIn(String line, Map<String, String> filledIn) {
    String filled = line;
    for (Map.Entry<String, String> each : filledIn.entrySet()) {
      filled = filled.replace(each.getKey(), each.getValue());
    }
    return filled;
  }
}
