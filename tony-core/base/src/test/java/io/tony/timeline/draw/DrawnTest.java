package io.tony.timeline.draw;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tony.event.UsageFact.Goodput;
import io.tony.model.FailureKind;
import io.tony.timeline.GoodputLine;
import io.tony.timeline.Timeline;
import io.tony.timeline.WrittenLog;
import io.tony.timeline.YarnTimes;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** The same timelines as text, as a picture, and for programs. */
public class DrawnTest {
  private static final String HOSTILE =
      "</text><script>alert(\"1\")</script> & '\u202e]]>\u0007 \ud800 tony-event";

  private static final Heading HEADING =
      new Heading("application_1795250954025_0001", "train", "ml");

  private static Timeline whole() {
    return Timeline.of(WrittenLog.whole().events(), WrittenLog.yarn());
  }

  /** All executors but one need as many tenths of a second as their rank's last digit says. */
  private static Timeline crowd(int tasks) {
    WrittenLog log = new WrittenLog().master(1, tasks).requested(tasks, "worker").at(1);
    for (int i = 0; i < tasks; i++) {
      log.allocated("worker:" + i, "node-" + i % 100);
    }
    for (int tenth = 0; tenth < 10; tenth++) {
      log.at(2 + tenth / 10.0);
      for (int i = tenth; i < tasks; i += 10) {
        if (i != 77) {
          log.registered("worker:" + i);
        }
      }
    }
    log.at(20).registered("worker:77").running().at(21);
    for (int i = 0; i < tasks; i++) {
      log.started("worker:" + i);
    }
    log.at(60);
    for (int i = 0; i < tasks; i++) {
      log.succeeded("worker:" + i);
    }
    return Timeline.of(log.stopping().finished().events(), YarnTimes.UNKNOWN);
  }

  private static Timeline hostile() {
    WrittenLog log =
        WrittenLog.plain()
            .at(12)
            .failed("worker:1", HOSTILE)
            .gangRestarted("worker:1", 1, HOSTILE)
            .at(13)
            .registered("worker:1");
    return Timeline.of(log.events(), new YarnTimes(null, null, null, WrittenLog.second(20)));
  }

  // ---- Goodput ----

  @Test
  public void shouldTellTheGoodputThatWasRecordedInEveryForm() throws Exception {
    Goodput recorded =
        new Goodput(1_000, 2_000, 30_000, Map.of(FailureKind.LOST, 4_000L), 500, 1, false);
    Timeline timeline =
        Timeline.of(
            WrittenLog.plain().at(40).stopping().fact(recorded).finished().events(),
            YarnTimes.UNKNOWN);

    assertEquals(recorded, timeline.goodput());
    String line = GoodputLine.of(recorded);
    assertEquals(line, TimelineText.of(timeline, HEADING).get(2));
    assertTrue(TimelineSvg.of(timeline, HEADING).contains(line));
    JsonNode json = new ObjectMapper().readTree(TimelineJson.of(timeline, HEADING)).get("goodput");
    assertEquals(0.8, json.get("share").asDouble(), 1e-9);
    assertEquals(30_000, json.get("training").asLong());
    assertEquals(4_000, json.get("lost").get("LOST").asLong());
    assertEquals(1, json.get("restarts").asInt());
    assertFalse(json.get("byProgress").asBoolean());
  }

  // ---- Text ----

  @Test
  public void shouldTellPhasesAndTasksInLines() {
    assertEquals(
        List.of(
            "train (application_1795250954025_0001, queue ml)",
            "SUCCEEDED, 34.5 s from 2026-11-23T07:59:57Z",
            "goodput 66 %: trained 23.0 s; queue 6.00 s, starting 4.00 s, stopping 1.50 s",
            "",
            "phase                            at    took   share",
            "YARN starts the master      +0.00 s  1.00 s   2.9 %"
                + "  |=                                        |",
            "master's files arrive       +1.00 s  1.00 s   2.9 %"
                + "  | =                                       |",
            "master starts               +2.00 s  1.00 s   2.9 %"
                + "  |  =                                      |",
            "waits for containers        +3.00 s  3.00 s   8.7 %"
                + "  |   ===                                   |",
            "executors start             +6.00 s  3.00 s   8.7 %"
                + "  |      ====                               |",
            "programs are started        +9.00 s  1.00 s   2.9 %"
                + "  |          =                              |",
            "programs warm up            +10.0 s  3.00 s   8.7 %"
                + "  |           ====                          |",
            "programs run                +13.0 s  20.0 s  58.0 %"
                + "  |               =======================   |",
            "what still runs is stopped  +33.0 s  1.00 s   2.9 %"
                + "  |                                      =  |",
            "reported to YARN            +34.0 s  0.50 s   1.4 %"
                + "  |                                       = |",
            "in all                               34.5 s   100 %",
            "",
            "each start of a task: the wait for its container, for its executor, for the others,"
                + " and its program",
            "task      start  node    container  executor  others  program  end",
            "worker:0      0  node-0     1.00 s    3.00 s  2.50 s   23.5 s  SUCCEEDED +33.0 s",
            "worker:1      0  node-1     3.00 s    3.00 s  1.00 s   13.0 s  SUCCEEDED +23.0 s",
            ""),
        TimelineText.of(whole(), HEADING));
  }

  @Test
  public void shouldSumUpTheRolesOfALargeJob() {
    List<String> lines = TimelineText.of(crowd(1_000), HEADING);
    assertTrue(lines.toString(), lines.contains("worker: 1,000 tasks"));
    assertTrue(
        lines.toString(),
        lines.contains(
            "executor starts        1.00 s  1.40 s  1.90 s  19.0 s  worker:77 on node-77,"
                + " worker:9 on node-9, worker:19 on node-19"));
    assertTrue(lines.toString(), lines.size() < 20);
  }

  @Test
  public void shouldTellStartsThatAreMadeAgain() {
    String text = String.join("\n", TimelineText.of(hostile(), HEADING));
    assertTrue(text, text.contains("  +15.0 s  gang restart 1 (PROGRAM): </text>"));
    assertTrue(text, text.contains("1 kept  node-1"));
    assertTrue(text, text.contains("RESTARTED +15.0 s"));
    assertTrue(text, text.contains("NOT ENDED, 23.0 s"));
  }

  /** One that is started again for days. */
  @Test
  public void shouldSumUpAJobOfManyPhases() {
    WrittenLog log = WrittenLog.plain();
    for (int i = 1; i <= 200; i++) {
      log.at(20 * i)
          .gangRestarted("worker:1", i, "it failed")
          .at(20 * i + 1)
          .registered("worker:0")
          .registered("worker:1")
          .running()
          .started("worker:0")
          .started("worker:1");
    }
    Timeline timeline = Timeline.of(log.stopping().finished().events(), YarnTimes.UNKNOWN);
    String text = String.join("\n", TimelineText.of(timeline, HEADING));
    assertTrue(text, text.contains("201 times"));
    assertTrue(text, text.contains("and 140 more such events"));
    assertTrue(text, text.lines().count() < 120);
  }

  // ---- Picture ----

  private static Document picture(Timeline timeline, Heading heading) throws Exception {
    String svg = TimelineSvg.of(timeline, heading);
    assertTrue("it is small", svg.length() < 200_000);
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    return factory.newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
  }

  private static Set<String> names(Document picture) {
    Set<String> names = new TreeSet<>();
    NodeList all = picture.getElementsByTagName("*");
    for (int i = 0; i < all.getLength(); i++) {
      Element element = (Element) all.item(i);
      names.add(element.getTagName());
      for (int a = 0; a < element.getAttributes().getLength(); a++) {
        String attribute = element.getAttributes().item(a).getNodeName();
        assertFalse(attribute, attribute.startsWith("on") || attribute.contains("href"));
      }
    }
    return names;
  }

  private static List<String> texts(Document picture) {
    List<String> texts = new ArrayList<>();
    NodeList all = picture.getElementsByTagName("text");
    for (int i = 0; i < all.getLength(); i++) {
      texts.add(all.item(i).getTextContent());
    }
    return texts;
  }

  private static final Set<String> ELEMENTS =
      Set.of("svg", "title", "desc", "rect", "line", "circle", "path", "text");

  @Test
  public void shouldDrawPhasesAndTasks() throws Exception {
    Document picture = picture(whole(), HEADING);
    assertTrue(ELEMENTS.containsAll(names(picture)));
    List<String> texts = texts(picture);
    assertTrue(
        texts.toString(),
        texts.containsAll(
            List.of("train", "worker: 2 tasks", "worker:1", "node-1", "10 s", "58.0 %")));
    // What is longest and what it took is told where somebody points at it.
    assertTrue(picture.getDocumentElement().getTextContent().contains("programs run: 20.0 s"));
    assertTrue(
        picture
            .getDocumentElement()
            .getTextContent()
            .contains("worker:0 on node-0: waits for the others, 2.50 s"));
  }

  @Test
  public void shouldDrawNothingThatAProgramSaysButItsText() throws Exception {
    Document picture =
        picture(hostile(), new Heading("application_1_0001", HOSTILE, HOSTILE + "\" onload=\"x"));
    assertTrue(ELEMENTS.containsAll(names(picture)));
    String all = picture.getDocumentElement().getTextContent();
    assertTrue(all, all.contains("</text><script>alert(\"1\")</script> & '\ufffd]]>\ufffd \ufffd"));
    assertFalse(all, all.contains("\u202e"));
  }

  @Test
  public void shouldDrawManyTasksAsOneArea() throws Exception {
    Document picture = picture(crowd(10_000), HEADING);
    List<String> texts = texts(picture);
    assertTrue(texts.toString(), texts.contains("worker: 10,000 tasks"));
    assertTrue(texts.toString(), texts.contains("worker:77"));
    assertTrue("not a bar for each", texts.size() < 80);
  }

  @Test
  public void shouldDrawAJobOfAMomentAndOneOfWeeks() throws Exception {
    WrittenLog moment = new WrittenLog().master(1, 1).finished();
    picture(Timeline.of(moment.events(), YarnTimes.UNKNOWN), HEADING);
    WrittenLog weeks = WrittenLog.plain().at(40 * 86_400).stopping().finished();
    List<String> texts = texts(picture(Timeline.of(weeks.events(), YarnTimes.UNKNOWN), HEADING));
    assertTrue(texts.toString(), texts.contains("14d"));
  }

  // ---- For programs ----

  @Test
  public void shouldTellAllOfItToPrograms() throws Exception {
    String text = TimelineJson.of(whole(), HEADING);
    JsonNode json = new ObjectMapper().readTree(text);
    assertEquals("SUCCEEDED", json.get("status").asText());
    assertEquals("queued", json.get("phases").get(0).get("phase").asText());
    long sum = 0;
    for (JsonNode phase : json.get("phases")) {
      sum += phase.get("ms").asLong();
    }
    assertEquals(34_500, sum);
    assertEquals("2026-11-23T08:00:06.500Z", json.get("attempts").get(0).get("started").asText());
    assertEquals("succeeded", json.get("attempts").get(0).get("end").asText());

    String plain = TimelineJson.of(hostile(), HEADING);
    assertTrue(plain, plain.chars().allMatch(c -> c >= ' ' && c <= '~'));
    assertEquals(1, new ObjectMapper().readTree(plain).get("marks").size());
  }
}
