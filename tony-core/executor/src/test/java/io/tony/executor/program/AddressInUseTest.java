package io.tony.executor.program;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class AddressInUseTest {
  private static void assertRecognized(String stderr) {
    assertTrue(stderr, AddressInUse.isReportedIn(stderr));
  }

  private static void assertPassedOver(String stderr) {
    assertFalse(stderr, AddressInUse.isReportedIn(stderr));
  }

  @Test
  public void shouldKnowTheWordsOfEachRuntime() {
    // Python
    assertRecognized("OSError: [Errno 98] Address already in use");
    assertRecognized("OSError: [Errno 98] Die Adresse wird bereits verwendet");
    assertRecognized(
        "OSError: [Errno 98] error while attempting to bind on address ('0.0.0.0', 41234)");
    // PyTorch's c10d
    assertRecognized(
        "The server socket has failed to bind to [::]:41234 (errno: 98 - Address already in use).");
    assertRecognized("torch.distributed.DistNetworkError: EADDRINUSE");
    // Java, old and new
    assertRecognized(
        "Exception in thread \"main\" java.net.BindException: Address already in use (Bind failed)");
    assertRecognized("java.net.BindException: Address already in use: bind");
    // Go
    assertRecognized("listen tcp :41234: bind: address already in use");
    // gRPC
    assertRecognized(
        "E0000 chttp2_server.cc:1045] {\"os_error\":\"Address already in use\",\"syscall\":\"bind\"}");
    assertRecognized("UNKNOWN:No address added out of total 1 resolved for '[::]:41234'");
    // Node, Rust
    assertRecognized("Error: listen EADDRINUSE: address already in use :::41234");
    assertRecognized("Os { code: 98, kind: AddrInUse, message: \"Address in use\" }");
    assertRecognized("Error: Cannot assign (os error 98)");
    // servers
    assertRecognized("Port 41234 is already in use.");
    assertRecognized("an early line\nADDRESS ALREADY IN USE\nand more after it");
  }

  @Test
  public void shouldPassOverWhatOnlyLooksLikeIt() {
    assertPassedOver("");
    assertPassedOver("OSError: [Errno 99] Cannot assign requested address");
    assertPassedOver("OSError: [Errno 111] Connection refused");
    assertPassedOver("errno 980");
    assertPassedOver("step 98, loss 98, the GPU is in use");
  }
}
