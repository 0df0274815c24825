package io.tony.azkaban.viewer;

import static org.junit.Assert.assertEquals;

import java.util.List;
import org.codehaus.jackson.map.ObjectMapper;
import org.junit.Before;
import org.junit.Test;

/** What the page reads of progress lines as numbers, and what it makes of them. */
public final class CurvesIT extends BrowserTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Before
  public void openPage() throws Exception {
    azkaban.add(ended(submitted(), "SUCCEEDED"));
    open();
    browser.await(END);
  }

  /** The script has {@code numbersOf} and {@code Curves}, and answers what is to be looked at. */
  private static String evaluate(String script) throws Exception {
    return browser
        .evaluatePromise(
            "import('./curves.js').then(({ numbersOf, Curves }) => {"
                + script
                + "}).then(JSON.stringify)")
        .asText();
  }

  private static void assertNumbers(String line, String numbers) throws Exception {
    assertEquals(
        line,
        numbers,
        evaluate("return [...numbersOf(" + JSON.writeValueAsString(line) + ")].join(' ')")
            .replace("\"", ""));
  }

  @Test
  public void shouldReadNumbersByTheirNames() throws Exception {
    assertNumbers("loss=0.41", "loss,0.41");
    assertNumbers("Loss: 0.41", "loss,0.41");
    assertNumbers("loss =  -1.5E+3 | lr=1e-4.", "loss,-1500 lr,0.0001");
    assertNumbers("step 300/1000", "step,300");
    assertNumbers("epoch 3, val_loss 0.5; acc: 93.1%", "epoch,3 val_loss,0.5 acc,93.1");
    assertNumbers(
        "epoch 2/10 - train/loss=.5 train/acc=0.9", "epoch,2 train/loss,0.5 train/acc,0.9");
    assertNumbers("12.3 steps/s", "steps/s,12.3");
    assertNumbers("45.1it/s 1.20s/it 300 samples/sec", "it/s,45.1 s/it,1.2 samples/s,300");
    assertNumbers("2026-11-21T10:00:00Z INFO:root:step 7 loss=0.4", "step,7 loss,0.4");
    assertNumbers("loss=0.4 (mean loss=0.5)", "loss,0.4");
    assertNumbers("__proto__=1 constructor=2", "__proto__,1 constructor,2");
  }

  @Test
  public void shouldReadNoNumberThatIsNone() throws Exception {
    for (String line :
        List.of(
            "",
            "info=informed nano: nanx loss is nan, not a number",
            "eta 3:20 time=03:20 on 2026-11-21",
            "worker 3 saved 5 files to http://node:8080/run/loss=3",
            "version=1.2.3 mem=12GiB took=12ms id=4f",
            "saved /mnt/step 3/4",
            "x".repeat(200) + "=1")) {
      assertNumbers(line, "");
    }
  }

  /** It is the most important thing that a training can say. */
  @Test
  public void shouldReadWhatIsNoNumberAnyMore() throws Exception {
    assertNumbers("loss=nan acc: inf", "loss,NaN acc,Infinity");
    assertNumbers("step 7 loss NaN, lr=-Infinity.", "step,7 loss,NaN lr,-Infinity");
    assertNumbers("loss=" + "9".repeat(400), "loss,Infinity");
    assertNumbers("loss=-1e101", "loss,-Infinity");
  }

  @Test
  public void shouldSaySinceWhenASeriesIsNoNumber() throws Exception {
    assertEquals(
        "[null,[200,20],null,[600,60]]",
        evaluate(
            "const curves = new Curves(); const seen = []; const look = () => {"
                + " const { firstNonFinite: first } = curves.series()[0];"
                + " seen.push(first && [first.time, first.step]); };"
                + " curves.add(100, 'step 10 loss=1'); look();"
                + " curves.add(200, 'step 20 loss=nan'); curves.add(300, 'step 30 loss=inf'); look();"
                + " curves.add(500, 'step 50 loss=2'); look();"
                + " for (let i = 600; i < 9000; i++) { curves.add(i, `step ${i / 10} loss=nan`); }"
                + " look(); return seen"));
  }

  @Test
  public void shouldReadOfAHostileLineOnlySomeNumbers() throws Exception {
    assertEquals(
        "32",
        evaluate(
            "return numbersOf(Array.from({ length: 1000 }, (none, i) => `a${i}=1`).join(' ')).size"));
    assertEquals(
        "24",
        evaluate(
            "const curves = new Curves();"
                + " for (let i = 0; i < 1000; i++) { curves.add(i, `a${i}=1`); }"
                + " return curves.series().length"));
  }

  @Test
  public void shouldKeepOfALongJobSomeHundredPointsFromTheFirstToTheLast() throws Exception {
    assertEquals(
        "[true,0,99999,\"loss steps/s\"]",
        evaluate(
            "const curves = new Curves();"
                + " for (let i = 0; i < 100000; i++) { curves.add(i * 2000, `step ${i} loss=${i}`); }"
                + " const [{ points }] = curves.series();"
                + " return [points.length > 200 && points.length <= 800,"
                + " points[0].value, points.at(-1).value,"
                + " curves.series().map(({ name }) => name).join(' ')]"));
  }

  @Test
  public void shouldTellThePaceBySteps() throws Exception {
    assertEquals(
        "[[10000,1],[20000,3]]",
        evaluate(
            "const curves = new Curves();"
                + " [[0, 0], [5000, 5], [10000, 10], [20000, 40], [30000, 5], [35000, 9]].forEach("
                + "([time, step]) => curves.add(time, `step ${step}`));"
                + " return curves.series()[0].points.map(({ time, value }) => [time, value])"));
  }

  @Test
  public void shouldBelieveAProgramThatTellsItsPace() throws Exception {
    assertEquals(
        "[[20000,7],[40000,8]]",
        evaluate(
            "const curves = new Curves();"
                + " curves.add(0, 'step 0'); curves.add(10000, 'step 10');"
                + " curves.add(20000, 'step 20, 7 steps/s'); curves.add(30000, 'step 30');"
                + " curves.add(40000, 'step 40, 8 steps/s');"
                + " return curves.series()[0].points.map(({ time, value }) => [time, value])"));
  }

  @Test
  public void shouldMarkWhereTheTaskWasStartedAgain() throws Exception {
    assertEquals(
        "[[{\"time\":15000,\"label\":\"LOST\"}],[[0,0.9,100],[0,0.8,110],[1,0.85,null],[1,0.84,105]],1]",
        evaluate(
            "const curves = new Curves();"
                + " curves.add(0, 'step 100 loss=0.9'); curves.add(10000, 'step 110 loss=0.8');"
                + " curves.restarted(15000, 'LOST');"
                + " curves.add(20000, 'loss=0.85'); curves.add(40000, 'step 105 loss=0.84');"
                + " const [loss, pace] = curves.series();"
                + " return [curves.restarts, loss.points.map(({ run, value, step }) =>"
                + " [run, value, step]), pace.points.length]"));
  }

  @Test
  public void shouldTellTheGoodputAndStragglersOfAJob() throws Exception {
    assertEquals(
        "{\"training\":30000,\"lost\":[[\"LOST\",4000]],\"byProgress\":false,"
            + "\"mishaps\":[\"worker:1 holds its gang up on node-1\","
            + "\"worker:1 keeps up with its gang again\"]}",
        browser
            .evaluatePromise(
                "import('./job.js').then(({ Job }) => { const job = new Job();"
                    + " const tell = (type, task, details) => job.apply({ type, task, time: 0,"
                    + " details: new Map(Object.entries(details)) });"
                    + " tell('STRAGGLER', 'worker:1', { node: 'node-1', recovered: 'false' });"
                    + " tell('STRAGGLER', 'worker:1', { node: 'node-1', recovered: 'true' });"
                    + " tell('GOODPUT', null, { training: '30000', 'lost.LOST': '4000',"
                    + " byProgress: 'false' });"
                    + " const { training, lost, byProgress } = job.goodput;"
                    + " return JSON.stringify({ training, lost: [...lost], byProgress,"
                    + " mishaps: job.mishaps.map(({ task, what }) => `${task} ${what}`) }); })")
            .asText());
  }
}
