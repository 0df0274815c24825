package io.tony.mini;

import io.tony.mini.MiniClusterProcess.Application;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * A client of the REST APIs of a cluster's ResourceManager and NameNode, which Hadoop's documents
 * "ResourceManager REST API's" and "WebHDFS REST API" define. Thread-safe. All methods throw an
 * IOException if the daemon does not answer within 30 s.
 */
final class ClusterRest {

  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
  private static final int OK = 200;
  private static final int ACCEPTED = 202;
  private static final int NOT_FOUND = 404;
  private static final Pattern OWNER_IN_STATUS = Pattern.compile("\"owner\":\"([^\"]+)\"");
  private static final Pattern NAME_IN_LISTING = Pattern.compile("\"pathSuffix\":\"([^\"]+)\"");

  private final String resourceManager;
  private final String nameNode;
  private final String user;
  private final Optional<Negotiation> negotiation;
  private final HttpClient http =
      HttpClient.newBuilder()
          .proxy(ProxySelector.of(null))
          .followRedirects(HttpClient.Redirect.NORMAL)
          .connectTimeout(ANSWER_LIMIT)
          .build();

  /**
   * Creates a client.
   *
   * @param resourceManager the ResourceManager's address, such as {@code http://localhost:8088}
   * @param nameNode the NameNode's address, such as {@code http://localhost:9870}
   * @param user the user in whose name requests are made
   * @param negotiation authenticates this JVM to the daemons of a secure cluster; empty if the
   *     cluster is not secure
   */
  ClusterRest(
      String resourceManager, String nameNode, String user, Optional<Negotiation> negotiation) {
    this.resourceManager = resourceManager;
    this.nameNode = nameNode;
    this.user = user;
    this.negotiation = negotiation;
  }

  /** Returns all applications that YARN remembers, including those that have ended. */
  List<Application> applications() throws IOException, InterruptedException {
    HttpResponse<InputStream> response = get(resourceManager + "/ws/v1/cluster/apps");
    try (InputStream body = response.body()) {
      expectOk(response);
      NodeList found =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(body)
              .getElementsByTagName("app");
      List<Application> applications = new ArrayList<>();
      for (int i = 0; i < found.getLength(); i++) {
        applications.add(application((Element) found.item(i)));
      }
      return List.copyOf(applications);
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException(response.uri() + " did not answer in XML", e);
    }
  }

  private static Application application(Element xml) {
    return new Application(
        text(xml, "id"),
        text(xml, "user"),
        text(xml, "name"),
        text(xml, "applicationType"),
        text(xml, "queue"),
        text(xml, "state"),
        text(xml, "finalStatus"),
        Set.of(text(xml, "applicationTags").split(",")),
        Integer.parseInt(text(xml, "allocatedMB")),
        used(xml));
  }

  private static Map<String, Long> used(Element xml) {
    Map<String, Long> used = new TreeMap<>();
    NodeList partitions = xml.getElementsByTagName("used");
    for (int i = 0; i < partitions.getLength(); i++) {
      NodeList types = ((Element) partitions.item(i)).getElementsByTagName("resourceInformation");
      for (int j = 0; j < types.getLength(); j++) {
        Element type = (Element) types.item(j);
        used.merge(text(type, "name"), Long.parseLong(text(type, "value")), Long::sum);
      }
    }
    return used;
  }

  private static String text(Element xml, String name) {
    NodeList found = xml.getElementsByTagName(name);
    return found.getLength() == 0 ? "" : found.item(0).getTextContent();
  }

  /** Returns the content of a file on HDFS, decoded as UTF-8. */
  String text(String path) throws IOException, InterruptedException {
    HttpResponse<InputStream> response = webHdfs(path, "OPEN");
    try (InputStream body = response.body()) {
      expectOk(response);
      return new String(body.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /**
   * Returns the names of the files and folders in a folder on HDFS; empty if the folder does not
   * exist.
   */
  List<String> names(String path) throws IOException, InterruptedException {
    HttpResponse<InputStream> response = webHdfs(path, "LISTSTATUS");
    try (InputStream body = response.body()) {
      if (response.statusCode() == NOT_FOUND) {
        return List.of();
      }
      expectOk(response);
      String listing = new String(body.readAllBytes(), StandardCharsets.UTF_8);
      return NAME_IN_LISTING.matcher(listing).results().map(match -> match.group(1)).toList();
    }
  }

  /** Returns the owner of a file or folder on HDFS. */
  String owner(String path) throws IOException, InterruptedException {
    HttpResponse<InputStream> response = webHdfs(path, "GETFILESTATUS");
    try (InputStream body = response.body()) {
      expectOk(response);
      String status = new String(body.readAllBytes(), StandardCharsets.UTF_8);
      return OWNER_IN_STATUS
          .matcher(status)
          .results()
          .map(match -> match.group(1))
          .findFirst()
          .orElseThrow(() -> new IOException(response.uri() + " answered " + status));
    }
  }

  /** Creates a folder on HDFS and makes the user its owner. */
  void makeFolder(String path, String user) throws IOException, InterruptedException {
    put(webHdfsUrl(path, "MKDIRS"));
    put(webHdfsUrl(path, "SETOWNER") + "&owner=" + user);
  }

  private void put(String url) throws IOException, InterruptedException {
    HttpRequest request = request(url).PUT(HttpRequest.BodyPublishers.noBody()).build();
    expectOk(http.send(request, HttpResponse.BodyHandlers.discarding()));
  }

  /** Requests that YARN kill an application. Does not wait for the application's end. */
  void kill(String application) throws IOException, InterruptedException {
    HttpRequest request =
        request(resourceManager + "/ws/v1/cluster/apps/" + application + "/state?user.name=" + user)
            .header("Content-Type", "application/json")
            .PUT(HttpRequest.BodyPublishers.ofString("{\"state\": \"KILLED\"}"))
            .build();
    HttpResponse<Void> response = http.send(request, HttpResponse.BodyHandlers.discarding());
    if (response.statusCode() != ACCEPTED) {
      expectOk(response);
    }
  }

  /**
   * Deletes a file, or a folder with its content, on HDFS. Has no effect if the path does not
   * exist.
   */
  void delete(String path) throws IOException, InterruptedException {
    HttpRequest request = request(webHdfsUrl(path, "DELETE") + "&recursive=true").DELETE().build();
    expectOk(http.send(request, HttpResponse.BodyHandlers.discarding()));
  }

  private HttpResponse<InputStream> webHdfs(String path, String operation)
      throws IOException, InterruptedException {
    return get(webHdfsUrl(path, operation));
  }

  private String webHdfsUrl(String path, String operation) {
    return nameNode + "/webhdfs/v1" + path + "?op=" + operation + "&user.name=" + user;
  }

  private HttpResponse<InputStream> get(String url) throws IOException, InterruptedException {
    return http.send(request(url).build(), HttpResponse.BodyHandlers.ofInputStream());
  }

  private HttpRequest.Builder request(String url) throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url))
            .header("Accept", "application/xml, */*;q=0.1")
            .timeout(ANSWER_LIMIT);
    if (negotiation.isPresent()) {
      request.header("Authorization", negotiation.get().authorization(request.build().uri()));
    }
    return request;
  }

  private static void expectOk(HttpResponse<?> response) throws IOException {
    if (response.statusCode() != OK) {
      throw new IOException(response.uri() + " answered " + response.statusCode());
    }
  }
}
