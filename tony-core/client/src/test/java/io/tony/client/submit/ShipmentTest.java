package io.tony.client.submit;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class ShipmentTest {
  private final Shipment shipment = new Shipment();

  @Test
  public void shouldTellWhatWasUploadedAndWhatWasThere() {
    shipment.addUploaded(1_000_000);
    shipment.addUploaded(258_291);
    shipment.addReused(326_107_136);

    assertEquals("uploaded 2 files (1.2 MiB), reused 1 (311 MiB)", shipment.toString());
  }

  @Test
  public void shouldTellOnlyWhatHappened() {
    shipment.addUploaded(42);
    assertEquals("uploaded 1 file (42 bytes)", shipment.toString());

    Shipment other = new Shipment();
    other.addReused(779_264);
    other.addReused(2L << 40);
    assertEquals("reused 2 files (2.0 TiB)", other.toString());
  }
}
