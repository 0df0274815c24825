package io.tony.client.input;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.Test;

public class ArgumentsTest {
  private static Arguments parse(String... args) throws InvalidJobException {
    return Arguments.parse(List.of(args), Set.of("conf", "executes"), Set.of("v", "events"));
  }

  @Test
  public void shouldReadOptionsFlagsAndWords() throws InvalidJobException {
    Arguments arguments =
        parse("-executes", "python train.py", "--v", "application_1_0001", "-conf", "a=1", "-");

    assertEquals(Optional.of("python train.py"), arguments.last("executes"));
    assertTrue(arguments.hasFlag("v"));
    assertFalse(arguments.hasFlag("events"));
    assertEquals(List.of("application_1_0001", "-"), arguments.positionalArgs());
  }

  @Test
  public void shouldKeepEveryValueOfAnOptionThatIsGivenOften() throws InvalidJobException {
    Arguments arguments = parse("-conf", "a=1", "--conf", "a=2");

    assertEquals(List.of("a=1", "a=2"), arguments.all("conf"));
    assertEquals(Optional.of("a=2"), arguments.last("conf"));
    assertEquals(Optional.empty(), arguments.last("executes"));
  }

  @Test
  public void shouldTakeAValueAsItIsEvenWhenItLooksLikeAnOption() throws InvalidJobException {
    assertEquals(Optional.of("-v"), parse("-executes", "-v").last("executes"));
    assertEquals(Optional.of(""), parse("-executes", "").last("executes"));
  }

  @Test
  public void shouldTakeAValueAfterAnEqualsSign() throws InvalidJobException {
    Arguments arguments = parse("--executes=train.py --lr=1", "-conf=a=1", "--conf=b=", "--v");

    assertEquals(Optional.of("train.py --lr=1"), arguments.last("executes"));
    assertEquals(List.of("a=1", "b="), arguments.all("conf"));
    assertTrue(arguments.hasFlag("v"));
    assertEquals(Optional.of(""), parse("-executes=").last("executes"));
  }

  @Test
  public void shouldNameEveryProblemAtOnce() {
    InvalidJobException e =
        assertThrows(
            InvalidJobException.class,
            () -> parse("-execute", "--confs=key=secret", "-v=true", "-conf"));

    assertEquals(
        List.of(
            "unknown option -execute; known are -conf -events -executes -v",
            "unknown option --confs; known are -conf -events -executes -v",
            "-v takes no value: leave out what follows it",
            "-conf needs a value"),
        e.problems());
  }
}
