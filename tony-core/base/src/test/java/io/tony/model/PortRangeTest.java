package io.tony.model;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.List;
import org.junit.Test;

public class PortRangeTest {
  @Test
  public void shouldBeginBehindThePortThatWasTakenLast() {
    PortRange ports = new PortRange(30_000, 30_002);
    assertEquals(3, ports.size());
    assertEquals(List.of(30_000, 30_001, 30_002), ports.portsAfter(0));
    assertEquals(List.of(30_001, 30_002, 30_000), ports.portsAfter(30_000));
    assertEquals(List.of(30_000, 30_001, 30_002), ports.portsAfter(30_002));
    assertEquals("30000-30002", ports.toString());
  }

  @Test
  public void shouldLeaveTheChoiceToTheKernelWhereAnyPortWillDo() {
    assertEquals(List.of(0), PortRange.ANY.portsAfter(30_000));
  }

  @Test
  public void shouldHoldNoPortThatCannotBe() {
    assertThrows(IllegalArgumentException.class, () -> new PortRange(1_023, 2_000));
    assertThrows(IllegalArgumentException.class, () -> new PortRange(2_001, 2_000));
    assertThrows(IllegalArgumentException.class, () -> new PortRange(2_000, 65_536));
  }
}
