package io.tony.am.page;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import io.tony.config.TonyConfig;
import java.util.Map;
import org.junit.Test;

public class HistoryLinkTest {
  private static final String APPLICATION = "application_1700000000000_0001";

  private static String link(String url, String user) {
    TonyConfig config = TonyConfig.builder().layer("site", Map.of("tony.history.url", url)).build();
    return HistoryLink.of(config, APPLICATION, user);
  }

  @Test
  public void shouldNameTheUserWhoseLogItIs() {
    String page = "http://history:18090/jobs/" + APPLICATION + "@ada/";
    assertEquals(page, link("http://history:18090", "ada"));
    assertEquals(page, link("http://history:18090//", "ada"));
    assertEquals(
        "https://h/tony/jobs/" + APPLICATION + "@a%20b%2Fc%3F/", link("https://h/tony/", "a b/c?"));
  }

  @Test
  public void shouldLeadNowhereWithoutAHistory() {
    assertNull(HistoryLink.of(TonyConfig.builder().build(), APPLICATION, "ada"));
  }
}
