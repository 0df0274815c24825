package io.tony.azkaban4;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.testing.Chromium;
import java.util.List;
import org.junit.ClassRule;
import org.junit.Test;

/** The tab of a step, reached as a person reaches it: from the job's page of Azkaban. */
public final class ViewerTabIT extends Azkaban4Test {

  private static final String END = "document.body.ariaBusy === 'false'";
  private static final String LINK =
      "[...document.querySelectorAll('a')].find((a) => a.textContent.trim() === 'TonY')";

  @ClassRule public static final Chromium browser = new Chromium();

  @Test
  public void shouldShowAStepThatSucceededAndOneThatFailed() throws Exception {
    files()
        .job("good", tony(ONE_WORKER, "executes=true"))
        .job("bad", tony(ONE_WORKER, "executes=echo the disk is full >&2; exit 7"))
        .job("end", "type=noop", "dependencies=good,bad");
    Execution execution = execute(files().folder(), "end", new FlowOptions().finishPossible());
    execution.assertEnds("FAILED");
    browser.open(azkaban().url().toString());
    browser.evaluate(
        "document.cookie = 'azkaban.browser.session.id=" + azkaban().api().session() + "'");

    openTab(execution, "good");
    assertEquals("SUCCEEDED", browser.text("#state"));
    assertEquals(execution.application("good"), browser.text("#application"));
    assertEquals("1 of 1 task succeeded", browser.text("#phase"));
    assertEquals(List.of(), browser.complaints());

    openTab(execution, "bad");
    assertEquals("FAILED", browser.text("#state"));
    String why = browser.text("#failure-message");
    assertTrue(why, why.startsWith("worker:0 exited with code 7"));
    assertEquals("the disk is full", browser.text("#stderr-text").trim());
    assertEquals(List.of(), browser.complaints());
  }

  private static void openTab(Execution execution, String job) throws Exception {
    browser.open(azkaban().url() + "/executor?execid=" + execution.id() + "&job=" + job);
    browser.await(LINK);
    String tab = browser.evaluate(LINK + ".href").asText();
    browser.open("about:blank");
    browser.complaints(); // those of Azkaban's own page
    browser.open(tab);
    browser.await(END);
    assertEquals(
        execution.id() + "",
        browser.evaluate("new URLSearchParams(location.search).get('execid')").asText());
  }
}
