package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import java.io.IOException;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/**
 * A secret reaches the program that it is for, and nothing that somebody else can read: each kind
 * of secret is a text that nothing else on this machine holds, and all that a run leaves or shows
 * is searched for it.
 */
public class SecretsIT extends ClusterFlowTest {
  private static final String TMPDIR = "java.io.tmpdir";

  private static final Duration DELETED_WITHIN = Duration.ofMinutes(1);

  /** By where a job may have it. */
  private final String tmpdir = System.getProperty(TMPDIR);

  private final Map<String, String> canaries = new TreeMap<>();

  private final HttpClient http =
      HttpClient.newBuilder()
          .proxy(ProxySelector.of(null))
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build();

  private String canary(String name) {
    return canaries.computeIfAbsent(name, key -> key + "-" + UUID.randomUUID());
  }

  @Test
  public void shouldShowSecretsOfASuccessfulJobToItsProgramOnly() throws Exception {
    runAndSearch(0, Status.SUCCEEDED);
  }

  @Test
  public void shouldShowSecretsOfAFailingJobToItsProgramOnly() throws Exception {
    runAndSearch(3, Status.FAILED);
  }

  @Test
  public void shouldNotShowSecretsOfAJobThatIsRefused() throws Exception {
    files()
        .job(
            "train",
            tony(
                "tony.worker.instances=1",
                "executes=train.py --api-key " + canary("argument"),
                "python_binary_path=python3",
                "worker_env.=" + canary("nameless"),
                "tony.worker.secret=" + canary("unknown"),
                "tony.worker.pasword=" + canary("misspelt"),
                "tony.execution.envs=PASSWORD=" + canary("list") + ",broken",
                "tony.containers.resources=https://user:" + canary("url") + "@localhost/x.zip",
                "hdfs_classpath=hdfs://user:" + canary("folder") + "@localhost/jars",
                "src_dir=https://" + canary("token") + "@localhost/src"))
        .job("other", tony("conf_file=https://user:" + canary("file") + "@localhost:1/x"))
        .job("end", "type=noop", "dependencies=train,other");

    FlowResult result = run(files().folder());

    assertEquals(Status.FAILED, result.status());
    assertLogged("train", "https://******@localhost/x.zip");
    assertLogged("train", "hdfs://******@localhost/jars");
    assertLogged(
        "train",
        "src_dir is https://******@localhost/src, which is neither a folder nor an archive");
    assertLogged("other", "https://******@localhost:1/x cannot be read");
    assertEquals(Set.of(), heldBy(log("train") + log("other")));
    assertEquals(Set.of("train.job", "other.job"), filesWithASecret(result.folder()).keySet());
  }

  @Before
  public void giveAzkabanATemporaryFolder() throws IOException {
    System.setProperty(TMPDIR, Files.createDirectory(temporaryOfAzkaban()).toString());
  }

  @After
  public void takeItAway() {
    System.setProperty(TMPDIR, tmpdir);
  }

  private Path temporaryOfAzkaban() {
    return root().resolve("tmp");
  }

  private void runAndSearch(int exitCode, Status expected) throws Exception {
    Path released = root().resolve("released");
    Path seen = root().resolve("seen");
    files()
        .job(
            "train",
            tony(
                "tony.worker.instances=1",
                "executes=bash wait.sh",
                "task_params='" + seen + "' '" + released + "' " + exitCode,
                "worker_env.ONE=" + canary("declared"),
                "tony.worker.env.API_KEY=" + canary("named"),
                "tony.containers.envs=STORE=https://user:" + canary("url") + "@host/db",
                "shell_env=SESSION_TOKEN=" + canary("listed"),
                "mysql.password=" + canary("other")))
        .file(
            "src/wait.sh",
            "printf '%s ' \"$ONE\" \"$API_KEY\" \"$STORE\" \"$SESSION_TOKEN\" > \"$1.new\"",
            "mv \"$1.new\" \"$1\"",
            "until test -e \"$2\"; do sleep 0.1; done",
            "exit $3");
    FlowExecution execution = start(files().folder());
    Set<String> argv = new TreeSet<>();
    // From the client's start to the program's: each process on the way is looked at.
    while (!Files.exists(seen) && !events.changes().contains("train#0 FAILED")) {
      argv.addAll(commandLinesWithASecret());
      Thread.sleep(20);
    }
    events.awaitLine("train", "1/1 tasks running");
    argv.addAll(commandLinesWithASecret());
    String id = application("train").id();
    Map<String, String> told = told(id, true);
    Map<String, Path> onNodes = filesOfTheCluster();
    Map<String, Path> ofAzkaban = filesWithASecret(execution.folder());
    ofAzkaban.putAll(filesWithASecret(temporaryOfAzkaban()));
    Map<String, String> staged = permissionsOf(cluster().hdfsHome() + "/.tony/staging/" + id);
    List<String> open = new ArrayList<>();
    for (Path file : onNodes.values()) {
      if (othersMayRead(file)) {
        open.add(file.toString());
      }
    }
    Set<PosixFilePermission> ofJobFile = permissionsOfTheClientsFile(ofAzkaban);
    Files.createFile(released);

    FlowResult result = execution.await();

    assertEquals(log("train"), expected, result.status());
    Set<String> forTheProgram = new TreeSet<>(canaries.keySet());
    forTheProgram.remove("other");
    assertEquals("what the program got", forTheProgram, heldBy(read(seen)));
    assertEquals("command lines", Set.of(), argv);
    told.forEach((where, text) -> assertEquals(where + "\n" + text, Set.of(), heldBy(text)));
    assertEquals(
        "files on the nodes", Set.of("tony-job.properties"), Set.copyOf(names(onNodes.values())));
    assertEquals("files on the nodes that others may read", List.of(), open);
    assertEquals(
        "files of Azkaban",
        List.of("job.properties", "train.job"),
        names(ofAzkaban.values()).stream().sorted().toList());
    assertEquals(
        Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE), ofJobFile);
    assertTrue(staged.toString(), staged.containsKey("tony-job.properties"));
    assertEquals(staged.toString(), Set.of("600"), Set.copyOf(staged.values()));

    // What is left when the job is over.
    assertEquals(Set.of(), heldBy(read(result.job("train").attempts().get(0).logFile())));
    assertEquals(Set.of(), heldBy(read(result.flowLog())));
    assertEquals(Set.of("train.job"), filesWithASecret(result.folder()).keySet());
    assertEquals(Set.of(), filesWithASecret(temporaryOfAzkaban()).keySet());
    String eventLog =
        cluster().hdfsText(cluster().hdfsHome() + "/.tony/history/" + id + "/events.jsonl");
    assertTrue(eventLog, eventLog.contains("JOB_FINISHED"));
    assertEquals(eventLog, Set.of(), heldBy(eventLog));
    assertNotEquals("logs of containers", List.of(), cluster().containerLogs(id));
    assertEquals("the cluster's files and logs", Map.of(), filesLeftInTheCluster());
    told(id, false)
        .forEach((where, text) -> assertEquals(where + "\n" + text, Set.of(), heldBy(text)));
  }

  /** The names of the canaries in a text. */
  private Set<String> heldBy(String text) {
    Set<String> found = new TreeSet<>();
    canaries.forEach(
        (name, value) -> {
          if (text.contains(value)) {
            found.add(name);
          }
        });
    return found;
  }

  /** Of all processes of this machine that can be looked at. */
  private Set<String> commandLinesWithASecret() throws IOException {
    Set<String> found = new TreeSet<>();
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      for (Path process : (Iterable<Path>) processes::iterator) {
        try {
          byte[] argv = Files.readAllBytes(process.resolve("cmdline"));
          String text = new String(argv, StandardCharsets.UTF_8).replace('\0', ' ');
          if (!heldBy(text).isEmpty()) {
            found.add(text);
          }
        } catch (IOException e) {
          // Not a process, or one that has ended meanwhile.
        }
      }
    }
    return found;
  }

  // ---- What the cluster and the tony command tell ----

  /** Every page that shows the application, on the nodes while it runs. */
  private Map<String, String> told(String id, boolean runs)
      throws IOException, InterruptedException {
    Map<String, String> told = new HashMap<>();
    told.put("tony status", runCommand("status", id));
    told.put("tony logs", runCommand("logs", id, "worker:0"));
    String master = cluster().property("resourcemanager.http");
    List<String> pages =
        new ArrayList<>(
            List.of(
                master + "/ws/v1/cluster/apps/" + id,
                master + "/ws/v1/cluster/apps/" + id + "/appattempts",
                master + "/cluster/app/" + id));
    String proxied = master + "/proxy/" + id + "/";
    if (runs) {
      pages.add(proxied + "job"); // of the job's own page
      pages.add(proxied + "events");
      pages.add(proxied + "metrics");
      for (String node : nodesOf(id)) {
        pages.add(node + "/ws/v1/node/containers");
        pages.add(node + "/ws/v1/node/apps/" + id);
        pages.add(node + "/node/allContainers");
        pages.add(node + "/node/application/" + id);
      }
    } else {
      pages.add(proxied); // leads to YARN's page of it
    }
    String number = number(id);
    for (String page : pages) {
      String text = page(page);
      assertTrue(page + " is not about " + id + ":\n" + text, text.contains(number));
      told.put(page, text);
    }
    return told;
  }

  /** What the ids of an application's containers share with its own. */
  private static String number(String id) {
    return id.substring(id.indexOf('_') + 1);
  }

  /** The pages of the nodes that have a container of the application; there is one at least. */
  private List<String> nodesOf(String id) throws IOException, InterruptedException {
    List<String> all =
        Pattern.compile("<nodeHTTPAddress>([^<]+)<|\"nodeHTTPAddress\":\"([^\"]+)\"")
            .matcher(page(cluster().property("resourcemanager.http") + "/ws/v1/cluster/nodes"))
            .results()
            .map(SecretsIT::address)
            .toList();
    List<String> nodes = new ArrayList<>();
    for (String node : all) {
      if (page(node + "/ws/v1/node/containers").contains(number(id))) {
        nodes.add(node);
      }
    }
    assertFalse(all + " have no container of " + id, nodes.isEmpty());
    return nodes;
  }

  private static String address(MatchResult match) {
    return "http://" + (match.group(1) == null ? match.group(2) : match.group(1));
  }

  private String page(String url) throws IOException, InterruptedException {
    HttpResponse<String> page =
        http.send(
            HttpRequest.newBuilder(URI.create(url)).build(),
            HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    assertEquals(url + "\n" + page.body(), 200, page.statusCode());
    return page.body();
  }

  private String runCommand(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx96m", "--add-opens=java.base/java.lang=ALL-UNNAMED"));
    command.add("io.tony.client.TonyCli");
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder
        .environment()
        .put(
            "CLASSPATH",
            String.join(
                ":",
                cluster().property("conf"),
                plugin().jobTypes().resolve("tony/lib") + "/*",
                cluster().property("classpath")));
    Process process = builder.start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(text, 0, process.waitFor());
    return text;
  }

  // ---- Files ----

  /** By their paths below the folder. */
  private Map<String, Path> filesWithASecret(Path folder) throws IOException {
    Map<String, Path> found = new TreeMap<>();
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (Files.isRegularFile(file) && holdsASecret(file)) {
              found.put(folder.relativize(file).toString(), file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE; // A node deletes folders while they are looked at.
            }
            throw e;
          }
        });
    return found;
  }

  private boolean holdsASecret(Path file) {
    try {
      return !heldBy(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)).isEmpty();
    } catch (IOException e) {
      return false; // The cluster has deleted it meanwhile.
    }
  }

  private static Path clusterFolder() throws IOException, InterruptedException {
    return Path.of(cluster().property("conf")).getParent();
  }

  /** Local, cache and log folders of all nodes, and the daemons' own logs. */
  private Map<String, Path> filesOfTheCluster() throws IOException, InterruptedException {
    Map<String, Path> found = new TreeMap<>(filesWithASecret(clusterFolder().resolve("yarn")));
    found.putAll(filesWithASecret(clusterFolder().resolve("logs")));
    found.putAll(filesWithASecret(clusterFolder().resolve("tmp")));
    return found;
  }

  /** Without what a node deletes a little later than the job ends. */
  private Map<String, Path> filesLeftInTheCluster() throws Exception {
    assertEquals(List.of(), cluster().awaitIdle(DELETED_WITHIN));
    Map<String, Path> found = filesOfTheCluster();
    long deadline = System.nanoTime() + DELETED_WITHIN.toNanos();
    while (!found.isEmpty() && System.nanoTime() < deadline) {
      Thread.sleep(200);
      found = filesOfTheCluster();
    }
    return found;
  }

  private static List<String> names(Iterable<Path> files) {
    List<String> names = new ArrayList<>();
    files.forEach(file -> names.add(file.getFileName().toString()));
    return names;
  }

  /** Whether the modes of the file and of the cluster's folders above it let others in. */
  private static boolean othersMayRead(Path file) throws IOException, InterruptedException {
    boolean readable =
        Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
    for (Path above = file.getParent();
        above.startsWith(clusterFolder());
        above = above.getParent()) {
      readable &= Files.getPosixFilePermissions(above).contains(PosixFilePermission.OTHERS_EXECUTE);
    }
    return readable;
  }

  private static Set<PosixFilePermission> permissionsOfTheClientsFile(Map<String, Path> files)
      throws IOException {
    for (Path file : files.values()) {
      if (file.getFileName().toString().equals("job.properties")) {
        return Files.getPosixFilePermissions(file);
      }
    }
    return Set.of();
  }

  /** The permissions of a folder's files on HDFS, by name; the folder's own must be 700. */
  private Map<String, String> permissionsOf(String folder)
      throws IOException, InterruptedException {
    String url = cluster().property("namenode.http") + "/webhdfs/v1" + folder + "?op=";
    String user = "&user.name=" + System.getProperty("user.name");
    assertTrue(page(url + "GETFILESTATUS" + user).contains("\"permission\":\"700\""));
    Map<String, String> permissions = new TreeMap<>();
    Pattern.compile("\"pathSuffix\":\"([^\"]*)\",\"permission\":\"(\\d+)\"")
        .matcher(page(url + "LISTSTATUS" + user))
        .results()
        .forEach(match -> permissions.put(match.group(1), match.group(2)));
    assertFalse(permissions.isEmpty());
    return permissions;
  }
}
