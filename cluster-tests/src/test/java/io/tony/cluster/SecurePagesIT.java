package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.mini.Tickets;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.yarn.client.cli.ApplicationCLI;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * Pages that want a login (SPNEGO): who sees what of whose jobs, in the history and, while a job
 * runs, behind YARN's proxy. Ann's job names carol; dora is an administrator of YARN.
 */
public class SecurePagesIT {
  /** As whom the history runs: no administrator of anything, in a group of the same name. */
  private static final String SERVICE = "tony";

  private static final String HISTORY = "/tony/history";

  private static final Pattern ADDRESS = Pattern.compile("is served at (http://\\S+/)");
  private static final Pattern ANSWER = Pattern.compile("(?m)^(\\d{3}) ([A-Za-z0-9+/=]*)$");

  @ClassRule
  public static final SecureCluster CLUSTER =
      new SecureCluster(
          "secure-pages",
          List.of("ann", "bob", "carol", "dora", SERVICE),
          "yarn.acl.enable=true",
          "yarn.admin.acl=hadoop,dora",
          // The CapacityScheduler's own default is everybody.
          "yarn.scheduler.capacity.root.acl_administer_queue= ",
          "yarn.scheduler.capacity.root.default.acl_administer_queue= ",
          // As a site has it for all its servers.
          "hadoop.http.filter.initializers"
              + "=org.apache.hadoop.security.AuthenticationFilterInitializer",
          "hadoop.http.authentication.kerberos.principal=HTTP/_HOST@TONY.TEST",
          "hadoop.user.group.static.mapping.overrides=" + SERVICE + "=" + SERVICE + ";");

  @ClassRule public static final TemporaryFolder TICKETS = new TemporaryFolder();

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** Within the rule above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(CLUSTER);

  private final HttpClient anonymous = HttpClient.newHttpClient();

  /** As an administrator of HDFS makes it: all may add to it, and the service may read it. */
  @BeforeClass
  public static void makeHistoryFolder() throws Exception {
    Path kerberos = CLUSTER.daemons().kerberos();
    Path ticket = TICKETS.getRoot().toPath().resolve("administrator");
    Tickets.obtain(
        kerberos.resolve("krb5.conf"),
        "hadoop/localhost",
        kerberos.resolve("hadoop.keytab"),
        Duration.ofHours(1),
        ticket);
    Map<String, String> login = Map.of("KRB5CCNAME", ticket.toString());
    CLUSTER.run(login, FsShell.class, "-mkdir", "-p", HISTORY);
    CLUSTER.run(login, FsShell.class, "-chgrp", SERVICE, HISTORY);
    CLUSTER.run(login, FsShell.class, "-chmod", "1777", HISTORY);
  }

  /** What a server has said. */
  private record Answer(int status, String text) {}

  private TonyCommand submit(String user, String program, String... more) throws IOException {
    List<String> options =
        new ArrayList<>(List.of("tony.worker.instances=1", "tony.history.location=" + HISTORY));
    options.addAll(List.of(more));
    List<String> arguments = new ArrayList<>(List.of("-executes", program));
    options.forEach(option -> arguments.addAll(List.of("-conf", option)));
    return CLUSTER.tony(
        CLUSTER.ticket(user),
        folder.getRoot().toPath(),
        "submit",
        arguments.toArray(String[]::new));
  }

  private TonyCommand historyWith(String... login) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("-listen", "localhost:0", "-refresh", "1s"));
    for (String option : login) {
      arguments.addAll(List.of("-conf", option));
    }
    arguments.addAll(List.of("-conf", "tony.history.location=" + HISTORY));
    return CLUSTER.tony(
        Map.of(), folder.getRoot().toPath(), "history", arguments.toArray(String[]::new));
  }

  private TonyCommand history() throws IOException {
    Path keytab = CLUSTER.daemons().kerberos().resolve(SERVICE + ".keytab");
    return historyWith("tony.keytab.user=" + SERVICE, "tony.keytab.location=" + keytab);
  }

  @Test
  public void shouldServeNoHistoryWithoutALogin() throws Exception {
    try (TonyCommand nobody = historyWith()) {
      nobody.assertExit(3);
      assertEquals(nobody.text(), 1, nobody.lines().size());
      nobody.await("the cluster wants Kerberos");
    }
  }

  private static String address(TonyCommand history) throws InterruptedException {
    Matcher line = ADDRESS.matcher(history.await("is served at"));
    assertTrue(line.find());
    return line.group(1);
  }

  /** With the user's ticket. */
  private static List<Answer> ask(String user, String... addresses) throws Exception {
    String printed = CLUSTER.run(CLUSTER.ticket(user), AskedPages.class, addresses);
    List<Answer> answers =
        ANSWER
            .matcher(printed)
            .results()
            .map(line -> new Answer(Integer.parseInt(line.group(1)), decoded(line.group(2))))
            .toList();
    assertEquals(printed, addresses.length, answers.size());
    return answers;
  }

  private static String decoded(String text) {
    return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
  }

  private static List<Integer> statuses(List<Answer> answers) {
    return answers.stream().map(Answer::status).toList();
  }

  /** Without a ticket: nothing is told but what was asked for. */
  private void assertWantsALogin(String application, String... addresses) throws Exception {
    for (String address : addresses) {
      URI asked = URI.create(address);
      HttpResponse<String> answer =
          anonymous.send(HttpRequest.newBuilder(asked).build(), BodyHandlers.ofString());
      assertEquals(address, 401, answer.statusCode());
      assertEquals(address, "Negotiate", answer.headers().firstValue("WWW-Authenticate").get());
      String told = answer.body().replace(asked.getPath(), "");
      assertFalse(told, told.contains(application));
    }
  }

  /** A list shows what the service has found by now. */
  private static void awaitInHistory(String address, String... applications) throws Exception {
    String list;
    do {
      list = ask("dora", address + "jobs.json?status=SUCCEEDED").get(0).text();
    } while (!List.of(applications).stream().allMatch(list::contains));
  }

  @Test
  public void shouldShowInTheHistoryToEachWhatTheyMaySee() throws Exception {
    try (TonyCommand history = history();
        TonyCommand ofAnn = submit("ann", "true", "tony.application.view-acls=carol");
        TonyCommand ofBob = submit("bob", "true")) {
      String address = address(history);
      ofAnn.assertExit(0);
      ofBob.assertExit(0);
      String ann = ofAnn.application();
      String bob = ofBob.application();
      awaitInHistory(address, ann, bob);
      String list = address + "jobs.json";
      String metrics = address + "metrics";
      String annsPage = address + "jobs/" + ann + "/";
      String bobsPage = address + "jobs/" + bob + "/";
      assertWantsALogin(
          ann, address, list, metrics, annsPage, annsPage + "job", annsPage + "events");

      String[] all = {list, annsPage, annsPage + "events", bobsPage, bobsPage + "events", metrics};
      List<Answer> toAnn = ask("ann", all);
      assertEquals(List.of(200, 200, 200, 404, 404, 403), statuses(toAnn));
      assertTrue(toAnn.get(0).text(), toAnn.get(0).text().contains(ann));
      assertFalse(toAnn.get(0).text(), toAnn.get(0).text().contains(bob));
      assertTrue(toAnn.get(1).text(), toAnn.get(1).text().contains("page.js"));
      assertTrue(toAnn.get(2).text(), toAnn.get(2).text().contains("JOB_FINISHED"));

      List<Answer> toCarol = ask("carol", all);
      assertEquals(List.of(200, 200, 200, 404, 404, 403), statuses(toCarol));
      assertFalse(toCarol.get(0).text(), toCarol.get(0).text().contains(bob));

      List<Answer> toBob = ask("bob", all);
      assertEquals(List.of(200, 404, 404, 200, 200, 403), statuses(toBob));
      assertFalse(toBob.get(0).text(), toBob.get(0).text().contains(ann));

      List<Answer> toDora = ask("dora", all);
      assertEquals(List.of(200, 200, 200, 200, 200, 200), statuses(toDora));
      assertTrue(toDora.get(2).text(), toDora.get(2).text().contains("JOB_FINISHED"));
    }
  }

  /** YARN learns with the ApplicationMaster's next call that it has a page. */
  private static URI itself(String application) throws Exception {
    Pattern told = Pattern.compile("Tracking-URL : (http\\S+)");
    Matcher url;
    do {
      url =
          told.matcher(
              CLUSTER.run(
                  CLUSTER.ticket("ann"),
                  ApplicationCLI.class,
                  "application",
                  "-status",
                  application));
    } while (!url.find());
    return URI.create(url.group(1));
  }

  @Test
  public void shouldShowARunningJobToEachWhoMaySeeIt() throws Exception {
    Path end = folder.getRoot().toPath().resolve("end");
    try (TonyCommand history = history();
        TonyCommand job =
            submit(
                "ann",
                "until test -e " + end + "; do sleep 0.1; done",
                "tony.application.view-acls=carol",
                "tony.history.url=" + address(history))) {
      job.await("1/1 tasks running");
      String application = job.application();
      URI itself = itself(application);
      Matcher link = Pattern.compile("http://\\S+/proxy/" + application + "/").matcher(job.text());
      assertTrue(job.text(), link.find());
      String page = link.group();
      String[] all = {page, page + "job", page + "events", page + "metrics", page + "page.js"};
      assertWantsALogin(application, all);

      for (String user : List.of("ann", "carol", "dora")) {
        List<Answer> answers = ask(user, all);
        assertEquals(user, List.of(200, 200, 200, 200, 200), statuses(answers));
        assertTrue(answers.get(0).text(), answers.get(0).text().contains("page.js"));
        assertTrue(answers.get(1).text(), answers.get(1).text().contains("\"user\":\"ann\""));
        assertTrue(answers.get(2).text(), answers.get(2).text().contains("GANG_RUNNING"));
      }
      for (Answer toBob : ask("bob", all)) {
        assertEquals(toBob.text(), 403, toBob.status());
        assertTrue(toBob.text(), toBob.text().contains("bob may not see this job"));
        assertFalse(toBob.text(), toBob.text().contains(application));
      }
      String direct = JobPageIT.answer(itself, "127.0.0.99");
      assertTrue(direct, direct.startsWith("HTTP/1.1 302 "));
      assertTrue(direct, direct.contains("Location: " + page + "\r\n"));
      assertFalse(direct, direct.contains("GANG_RUNNING"));

      Files.createFile(end);
      job.assertExit(0);
      awaitInHistory(address(history), application);
      Answer afterwards = ask("ann", page).get(0);
      assertEquals(afterwards.text(), 200, afterwards.status());
      assertTrue(afterwards.text(), afterwards.text().contains("page.js"));
      assertEquals("by the history", List.of(404), statuses(ask("bob", page)));
    }
  }
}
