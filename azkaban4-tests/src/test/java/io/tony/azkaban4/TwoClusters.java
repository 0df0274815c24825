package io.tony.azkaban4;

import io.tony.mini.MiniClusterProcess;
import io.tony.testing.BuildArtifacts;
import io.tony.testing.FolderCopy;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * An Azkaban for two clusters, {@code first} and {@code second}, set up by the lines of install.md.
 * Its router chooses for the job type {@code tony}. The router is not asked for the steps of {@code
 * named}, a copy of the job type: they choose among the clusters {@code prod} and {@code gpu},
 * which are the same two. A third cluster of the router, {@code silent}, does not say where it is.
 */
record TwoClusters(Path root, MiniClusterProcess first, MiniClusterProcess second) {

  private static final String SECTION_ROUTING = "Routing";
  private static final String SECTION_NAMED = "Two clusters without a router";

  private static final Path ROUTER = Path.of("src/test/azkaban/YourRouter.java");
  private static final String ROUTER_CLASS = "com/example/YourRouter.class";

  /** Starts it. */
  Azkaban4 azkaban() throws IOException, InterruptedException {
    List<List<String>> routing = InstallPage.properties(SECTION_ROUTING, Map.of());
    Azkaban4 azkaban =
        new Azkaban4(root.resolve("azkaban"), first, routing.get(0).toArray(String[]::new))
            .onPlatform(router());
    Path jobTypes = azkaban.jobType().jobTypes();
    FolderCopy.copy(jobTypes.resolve("tony"), jobTypes.resolve("named"));
    // Of a step that the router sends somewhere, nothing of this counts.
    append(jobTypes.resolve("tony/plugin.properties"), "tony.client.classpath=", "hadoop.home=/no");
    append(
        jobTypes.resolve("named/plugin.properties"),
        "tony.client.classpath=",
        "hadoop.home=" + home("first"));
    for (String name : List.of("tony", "named")) {
      append(jobTypes.resolve(name + "/plugin.properties"), named());
    }
    append(jobTypes.resolve("tony/private.properties"), routing.get(1).toArray(String[]::new));
    writeCluster(azkaban, "first", cluster("first", first));
    writeCluster(azkaban, "second", cluster("second", second));
    List<String> silent = cluster("second", second);
    silent.removeIf(line -> line.startsWith("env."));
    silent.add("hadoop.conf.dir=" + second.property("conf"));
    writeCluster(azkaban, "silent", silent);
    return azkaban.start();
  }

  private String[] named() throws IOException {
    List<List<String>> blocks =
        InstallPage.properties(
            SECTION_NAMED,
            Map.of(
                "/etc/hadoop/conf", first.property("conf"),
                "/etc/hadoop-gpu/conf", second.property("conf"),
                "/opt/hadoop-gpu", home("second").toString()));
    return blocks.get(0).toArray(String[]::new);
  }

  private List<String> cluster(String name, MiniClusterProcess cluster) throws IOException {
    List<List<String>> blocks =
        InstallPage.properties(
            SECTION_ROUTING,
            Map.of(
                "/etc/hadoop-NAME/conf", cluster.property("conf"),
                "/opt/hadoop-NAME", home(name).toString()));
    return new ArrayList<>(blocks.get(2));
  }

  private static void writeCluster(Azkaban4 azkaban, String name, List<String> lines)
      throws IOException {
    Path folder = Files.createDirectories(azkaban.state().resolve("cluster").resolve(name));
    Files.write(folder.resolve("cluster.properties"), lines);
  }

  private static void append(Path file, String... lines) throws IOException {
    Files.write(file, List.of(lines), StandardOpenOption.APPEND);
  }

  /** The Hadoop of a cluster, as its release lays it out. */
  Path home(String name) throws IOException {
    Path home = root.resolve("hadoop-" + name);
    Path share = Files.createDirectories(home.resolve("share/hadoop"));
    if (!Files.exists(share.resolve("common"))) {
      Files.createSymbolicLink(share.resolve("common"), BuildArtifacts.hadoopJars().toRealPath());
    }
    return home;
  }

  /** Makes a jar of the router, in a folder of its own; the build has no Azkaban 4. */
  private Path router() throws IOException {
    Path classes = Files.createDirectories(root.resolve("router-classes"));
    int problems =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-d",
                classes.toString(),
                "-cp",
                jars(AzkabanHome.given().folder().resolve("lib")),
                ROUTER.toString());
    if (problems != 0) {
      throw new IOException(ROUTER + " does not compile");
    }
    Path jars = Files.createDirectories(root.resolve("router"));
    try (OutputStream file = Files.newOutputStream(jars.resolve("router.jar"));
        JarOutputStream jar = new JarOutputStream(file)) {
      jar.putNextEntry(new JarEntry(ROUTER_CLASS));
      Files.copy(classes.resolve(ROUTER_CLASS), jar);
    }
    return jars;
  }

  private static String jars(Path lib) throws IOException {
    try (Stream<Path> files = Files.list(lib)) {
      return files.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }
  }
}
