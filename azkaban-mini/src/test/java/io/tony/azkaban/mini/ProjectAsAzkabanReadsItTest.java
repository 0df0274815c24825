package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;

import azkaban.utils.DirectoryFlowLoader;
import azkaban.utils.Props;
import azkaban.utils.PropsUtils;
import io.tony.client.check.project.Project;
import io.tony.testing.FlowFolder;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.log4j.Logger;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** {@code tony validate} sees the properties that Azkaban's own code gives to a job. */
public class ProjectAsAzkabanReadsItTest {

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  @Test
  public void shouldInheritAndSubstituteAsAzkabanDoes() throws Exception {
    Path folder = temporary.getRoot().toPath();
    FlowFolder.in(folder)
        .file("a.properties", "x=root", "y=${x}!", "long=one \\", "  two", "blank=  kept  ")
        .file("b.properties", "type=noop", "greek=\\u03b1é", ".odd=1")
        .file("deep/c.properties", "z=${y} and ${x}", "x=deep")
        .job("deep/er/train", "type=tony", "x=own", "all=${x}${y}${z}${greek}", "twice=${all}")
        .job("deep/prepare", "dependencies=other", "dollars=$x $$ ${not a name} ${x}")
        .job("other", "type=command", "command=echo ${y} \\\\ \\n")
        .file(".properties", "hidden=yes")
        .job("deep/.hidden", "type=tony");
    DirectoryFlowLoader loader =
        new DirectoryFlowLoader(Logger.getLogger(ProjectAsAzkabanReadsItTest.class));
    loader.loadProjectFlow(folder.toFile());
    assertEquals(Set.of(), loader.getErrors());
    Map<String, Map<String, String>> expected = new TreeMap<>();
    loader
        .getJobProps()
        .forEach((name, props) -> expected.put(name, texts(PropsUtils.resolveProps(props))));

    Map<String, Map<String, String>> actual = new TreeMap<>();
    try (Project project = Project.open(folder)) {
      project
          .flows(Map.of())
          .steps()
          .forEach(step -> actual.put(step.name(), new TreeMap<>(step.properties())));
    }

    assertEquals(expected, actual);
  }

  private static Map<String, String> texts(Props props) {
    Map<String, String> texts = new TreeMap<>();
    props.getKeySet().forEach(key -> texts.put(key, props.get(key)));
    return texts;
  }
}
