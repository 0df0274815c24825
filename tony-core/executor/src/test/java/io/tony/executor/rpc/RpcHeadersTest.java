package io.tony.executor.rpc;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

public class RpcHeadersTest {
  /** Of the header before a request: the number of the call, and which try it is. */
  private static List<Long> callAndTry(int call) throws Exception {
    WireReader header =
        new WireReader(RpcHeaders.request(call, new byte[] {1}).toBytes()).delimited();
    List<Long> signed = new ArrayList<>();
    for (int field = header.next(); field != 0; field = header.next()) {
      if (field == 3 || field == 5) {
        long zigzag = header.number();
        signed.add((zigzag >>> 1) ^ -(zigzag & 1));
      } else if (field == 4) {
        header.bytes();
      } else {
        header.number();
      }
    }
    return signed;
  }

  /** As Hadoop's client numbers them: the calls of a connection from 0, its own ones below. */
  @Test
  public void shouldCallItTheFirstTryUnlessItIsTheConnectionsOwn() throws Exception {
    assertEquals(List.of(0L, 0L), callAndTry(0));
    assertEquals(List.of(7L, 0L), callAndTry(7));
    assertEquals(List.of(-33L, -1L), callAndTry(-33));
  }
}
