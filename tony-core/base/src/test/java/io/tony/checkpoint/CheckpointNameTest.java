package io.tony.checkpoint;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.Test;

public class CheckpointNameTest {
  private static final String GENERATION =
      CheckpointName.generation("application_1700000000000_0012", 3);

  @Test
  public void shouldNameTheNewestLast() {
    List<String> inOrder =
        Stream.of(
                new CheckpointName(
                    CheckpointName.generation("application_1699999999999_10000", 9), 7),
                new CheckpointName(
                    CheckpointName.generation("application_1700000000000_0012", 3), 999),
                new CheckpointName(GENERATION, 1_000),
                new CheckpointName(
                    CheckpointName.generation("application_1700000000000_0012", 20), 5),
                new CheckpointName(
                    CheckpointName.generation("application_1700000000000_12345", 0), 0))
            .map(CheckpointName::toString)
            .toList();

    assertEquals("1700000000000_0000000012_000003-000000001000", inOrder.get(2));
    assertEquals(inOrder, inOrder.stream().sorted().toList());
  }

  @Test
  public void shouldReadTheNamesOfItsOwnFoldersOnly() {
    CheckpointName name = new CheckpointName(GENERATION, 1_200);
    assertEquals(Optional.of(name), CheckpointName.parse(name.toString()));
    for (String other : List.of("", "model", name + ".old", "." + name, GENERATION + "-1200")) {
      assertEquals(other, Optional.empty(), CheckpointName.parse(other));
    }
  }

  @Test
  public void shouldRefuseWhatWouldNotSort() {
    assertThrows(IllegalArgumentException.class, () -> CheckpointName.generation("job_1_2", 1));
    assertThrows(IllegalArgumentException.class, () -> new CheckpointName("1_2_3", 1));
    assertThrows(IllegalArgumentException.class, () -> new CheckpointName(GENERATION, -1));
    assertThrows(
        IllegalArgumentException.class,
        () -> new CheckpointName(GENERATION, CheckpointName.MAX_NUMBER + 1));
  }
}
