package io.tony.azkaban4;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Azkaban's AJAX API, as its documents define it ("AJAX API"). Every method fails with an
 * IOException that has Azkaban's own words when Azkaban refuses.
 */
final class AzkabanApi {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration ANSWER_LIMIT = Duration.ofMinutes(2);
  private static final int MAX_LOG_BYTES = 20_000_000;

  private static final int OK = 200;
  private static final int SERVER_ERROR = 500;

  /** For the seconds in which Azkaban moves the logs of a flow that ends to its database. */
  private static final Duration MOVES_LOGS_WITHIN = Duration.ofSeconds(10);

  private static final String BOUNDARY = "the-end-of-a-part";

  private final HttpClient http = HttpClient.newHttpClient();
  private final URI root;
  private String session = "";

  AzkabanApi(URI root) {
    this.root = root;
  }

  /** Logs in; fails as long as the server gives no session. */
  void logIn(String user, String password) throws IOException, InterruptedException {
    HttpResponse<String> response =
        post("/", form(Map.of("action", "login", "username", user, "password", password)));
    String given = answer(response).path("session.id").asText();
    if (given.isEmpty()) {
      throw new IOException("no session: " + response.body());
    }
    session = given;
  }

  /** The id of the session, the value of the cookie {@code azkaban.browser.session.id}. */
  String session() {
    return session;
  }

  /** Makes a project; its name has letters, digits, - and _ only. */
  void createProject(String name) throws IOException, InterruptedException {
    HttpResponse<String> response =
        post(
            "/manager?action=create",
            form(Map.of("session.id", session, "name", name, "description", name)));
    JsonNode answer = answer(response);
    if (!answer.path("status").asText().equals("success")) {
      throw new IOException("project " + name + ": " + answer);
    }
  }

  /** Uploads a folder, zipped, as the next version of a project. */
  void upload(String project, Path folder) throws IOException, InterruptedException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    Map<String, String> fields =
        Map.of("session.id", session, "ajax", "upload", "project", project);
    for (Map.Entry<String, String> field : fields.entrySet()) {
      part(body, "name=\"" + field.getKey() + "\"", "text/plain");
      body.writeBytes((field.getValue() + "\r\n").getBytes(StandardCharsets.UTF_8));
    }
    part(body, "name=\"file\"; filename=\"flow.zip\"", "application/zip");
    body.writeBytes(zip(folder));
    body.writeBytes(("\r\n--" + BOUNDARY + "--\r\n").getBytes(StandardCharsets.UTF_8));
    answer(
        http.send(
            HttpRequest.newBuilder(root.resolve("/manager?ajax=upload"))
                .timeout(ANSWER_LIMIT)
                .header("Content-Type", "multipart/form-data; boundary=" + BOUNDARY)
                .POST(BodyPublishers.ofByteArray(body.toByteArray()))
                .build(),
            BodyHandlers.ofString()));
  }

  private static void part(ByteArrayOutputStream body, String disposition, String type) {
    String head =
        "--"
            + BOUNDARY
            + "\r\nContent-Disposition: form-data; "
            + disposition
            + "\r\nContent-Type: "
            + type
            + "\r\n\r\n";
    body.writeBytes(head.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] zip(Path folder) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes);
        Stream<Path> files = Files.walk(folder)) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        zip.putNextEntry(new ZipEntry(folder.relativize(file).toString()));
        Files.copy(file, zip);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return bytes.toByteArray();
  }

  /**
   * Executes a flow, and returns the number of the execution.
   *
   * @param options parameters of {@code executeFlow}, such as {@code flowOverride[rows]} or {@code
   *     concurrentOption}
   */
  int execute(String project, String flow, Map<String, String> options)
      throws IOException, InterruptedException {
    Map<String, String> query = new LinkedHashMap<>(options);
    query.put("project", project);
    query.put("flow", flow);
    return ask("executeFlow", query).path("execid").asInt();
  }

  /** The execution with its jobs, as {@code fetchexecflow} shows it. */
  JsonNode execution(int execution) throws IOException, InterruptedException {
    return ask("fetchexecflow", Map.of("execid", Integer.toString(execution)));
  }

  /** Acts upon an execution: {@code cancelFlow}, {@code pauseFlow}, {@code retryFailedJobs} … */
  void act(String action, int execution) throws IOException, InterruptedException {
    ask(action, Map.of("execid", Integer.toString(execution)));
  }

  /** The log of an attempt of a job so far; empty where it has none. */
  String log(int execution, String job, int attempt) throws IOException, InterruptedException {
    return text(
        "fetchExecJobLogs",
        Map.of(
            "execid",
            Integer.toString(execution),
            "jobId",
            job,
            "attempt",
            Integer.toString(attempt),
            "offset",
            "0",
            "length",
            Integer.toString(MAX_LOG_BYTES)));
  }

  /** The log of the flow itself. */
  String flowLog(int execution) throws IOException, InterruptedException {
    return text(
        "fetchExecFlowLogs",
        Map.of(
            "execid",
            Integer.toString(execution),
            "offset",
            "0",
            "length",
            Integer.toString(MAX_LOG_BYTES)));
  }

  private String text(String call, Map<String, String> query)
      throws IOException, InterruptedException {
    return Html.unescape(askAgain(call, query).path("data").asText());
  }

  private JsonNode ask(String call, Map<String, String> query)
      throws IOException, InterruptedException {
    return answer(http.send(request(call, query), BodyHandlers.ofString()));
  }

  /** Asks again while Azkaban answers 500: it does so for a log that is being moved. */
  private JsonNode askAgain(String call, Map<String, String> query)
      throws IOException, InterruptedException {
    HttpRequest request = request(call, query);
    long deadline = System.nanoTime() + MOVES_LOGS_WITHIN.toNanos();
    HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
    while (response.statusCode() == SERVER_ERROR && System.nanoTime() < deadline) {
      Thread.sleep(200);
      response = http.send(request, BodyHandlers.ofString());
    }
    return answer(response);
  }

  private HttpRequest request(String call, Map<String, String> query) {
    Map<String, String> all = new LinkedHashMap<>(query);
    all.put("ajax", call);
    all.put("session.id", session);
    return HttpRequest.newBuilder(root.resolve("/executor?" + form(all)))
        .timeout(ANSWER_LIMIT)
        .build();
  }

  private HttpResponse<String> post(String path, String form)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(root.resolve(path))
            .timeout(ANSWER_LIMIT)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form))
            .build(),
        BodyHandlers.ofString());
  }

  private static JsonNode answer(HttpResponse<String> response) throws IOException {
    if (response.statusCode() != OK) {
      throw new IOException(
          response.uri() + " answered " + response.statusCode() + ": " + response.body());
    }
    JsonNode answer = JSON.readTree(response.body());
    if (answer.has("error")) {
      throw new IOException(answer.get("error").asText());
    }
    return answer;
  }

  private static String form(Map<String, String> fields) {
    List<String> pairs = new ArrayList<>();
    fields.forEach((name, value) -> pairs.add(encode(name) + "=" + encode(value)));
    return String.join("&", pairs);
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
