package io.tony.azkaban4;

import io.tony.testing.BuildArtifacts;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The properties that docs/install.md tells an administrator to set, as the page shows them. */
final class InstallPage {

  private static final Pattern PROPERTY = Pattern.compile("(?: {4}| {7})([a-z][\\w.-]*=.*)");

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
    for (String line : Files.readAllLines(BuildArtifacts.file("docs/install.md"))) {
      if (line.startsWith("## ")) {
        isSection = line.equals("## " + section);
      }
      Matcher property = PROPERTY.matcher(line);
      boolean isProperty = isSection && property.matches();
      if (isProperty && !isBlock) {
        blocks.add(new ArrayList<>());
      }
      if (isProperty) {
        blocks.get(blocks.size() - 1).add(fillIn(property.group(1), filledIn));
      }
      isBlock = isProperty;
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
