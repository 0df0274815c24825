package io.tony.am.yarn;

import static org.junit.Assert.assertEquals;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.PreemptionContainer;
import org.apache.hadoop.yarn.api.records.PreemptionContract;
import org.apache.hadoop.yarn.api.records.PreemptionMessage;
import org.apache.hadoop.yarn.api.records.StrictPreemptionContract;
import org.junit.Test;

public class PreemptedContainersTest {
  private static ContainerId id(int number) {
    return ContainerId.fromString("container_1700000000000_0001_01_00000" + number);
  }

  private static Set<PreemptionContainer> containers(Integer... numbers) {
    return Stream.of(numbers)
        .map(number -> PreemptionContainer.newInstance(id(number)))
        .collect(Collectors.toSet());
  }

  @Test
  public void shouldNameThoseOfBothContractsOnce() {
    PreemptionMessage message =
        PreemptionMessage.newInstance(
            StrictPreemptionContract.newInstance(containers(1, 2)),
            PreemptionContract.newInstance(List.of(), containers(2, 3)));

    assertEquals(Set.of(id(1), id(2), id(3)), PreemptedContainers.of(message));
  }

  @Test
  public void shouldNameNoneWhereYarnSaysNothing() {
    assertEquals(Set.of(), PreemptedContainers.of(null));
    assertEquals(Set.of(), PreemptedContainers.of(PreemptionMessage.newInstance(null, null)));
    assertEquals(
        Set.of(),
        PreemptedContainers.of(
            PreemptionMessage.newInstance(null, PreemptionContract.newInstance(null, null))));
  }
}
