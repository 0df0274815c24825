package io.tony.checkpoint;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.Test;

public class SetNameTest {
  private static final String GENERATION = SetName.generation("application_1700000000000_0012", 3);

  @Test
  public void shouldNameTheNewestLast() {
    List<String> inOrder =
        Stream.of(
                new SetName(SetName.generation("application_1699999999999_10000", 9), 7),
                new SetName(SetName.generation("application_1700000000000_0012", 3), 999),
                new SetName(GENERATION, 1_000),
                new SetName(SetName.generation("application_1700000000000_0012", 20), 5),
                new SetName(SetName.generation("application_1700000000000_12345", 0), 0))
            .map(SetName::toString)
            .toList();

    assertEquals("1700000000000_0000000012_000003-000000001000", inOrder.get(2));
    assertEquals(inOrder, inOrder.stream().sorted().toList());
  }

  @Test
  public void shouldReadTheNamesOfItsOwnFoldersOnly() {
    SetName name = new SetName(GENERATION, 1_200);
    assertEquals(Optional.of(name), SetName.parse(name.toString()));
    for (String other : List.of("", "model", name + ".old", "." + name, GENERATION + "-1200")) {
      assertEquals(other, Optional.empty(), SetName.parse(other));
    }
  }

  @Test
  public void shouldRefuseWhatWouldNotSort() {
    assertThrows(IllegalArgumentException.class, () -> SetName.generation("job_1_2", 1));
    assertThrows(IllegalArgumentException.class, () -> new SetName("1_2_3", 1));
    assertThrows(IllegalArgumentException.class, () -> new SetName(GENERATION, -1));
    assertThrows(IllegalArgumentException.class, () -> new SetName(GENERATION, SetName.MOST + 1));
  }
}
