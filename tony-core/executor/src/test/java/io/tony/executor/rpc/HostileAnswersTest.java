package io.tony.executor.rpc;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.fuzz.Fuzz;
import io.tony.protocol.proto.TonyProtos.AskForCheckpoint;
import io.tony.protocol.proto.TonyProtos.AskForStacks;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.Checkpoints;
import io.tony.protocol.proto.TonyProtos.Entry;
import io.tony.protocol.proto.TonyProtos.HeartbeatResponse;
import io.tony.protocol.proto.TonyProtos.OpenTunnel;
import io.tony.protocol.proto.TonyProtos.PutResponse;
import io.tony.protocol.proto.TonyProtos.Restart;
import io.tony.protocol.proto.TonyProtos.Resume;
import io.tony.protocol.proto.TonyProtos.Shell;
import io.tony.protocol.proto.TonyProtos.Start;
import io.tony.protocol.proto.TonyProtos.Stop;
import io.tony.protocol.proto.TonyProtos.TakeResponse;
import io.tony.protocol.proto.TonyProtos.Tokens;
import io.tony.protocol.proto.TonyProtos.UploadSettings;
import io.tony.protocol.proto.TonyProtos.Window;
import io.tony.tunnel.TunnelLink;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.apache.hadoop.thirdparty.protobuf.InvalidProtocolBufferException;
import org.apache.hadoop.thirdparty.protobuf.UnknownFieldSet;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/** What an executor makes of bytes that are nearly an answer: the answer, or an IOException. */
public class HostileAnswersTest {
  private static final byte[] PASSWORD = "of the token".getBytes(StandardCharsets.UTF_8);

  /** Far more than any of these answers has. */
  private static final int LONGEST = 64 * 1024;

  private static final List<byte[]> ANSWERS =
      List.of(
          AwaitResponse.newBuilder()
              .setStart(
                  Start.newBuilder()
                      .setCommand("python3 train.py")
                      .addEnvironment(Entry.newBuilder().setKey("RANK").setValue("0"))
                      .setExecutionTimeoutMs(1L << 40)
                      .setClusterSpec(ByteString.copyFrom(new byte[] {0x1f, (byte) 0x8b, 8, 0}))
                      .setCheckpoints(
                          Checkpoints.newBuilder()
                              .setFolder("hdfs://c/1")
                              .setCopyTimeoutMs(7)
                              .setUpload(
                                  UploadSettings.newBuilder()
                                      .setGeneration("1")
                                      .setCounted(2)
                                      .setTasks(3)
                                      .setTraining("ab")
                                      .setApplication("application_1_0001"))
                              .setResume(
                                  Resume.newBuilder().setSet("a").setTask("b").setNumber(4))))
              .build()
              .toByteArray(),
          AwaitResponse.newBuilder()
              .setStop(Stop.newBuilder().setReason("größer").setStacks(true))
              .build()
              .toByteArray(),
          AwaitResponse.newBuilder()
              .setRestart(Restart.newBuilder().setAttempt(2).setReason("why").setIndex(130))
              .build()
              .toByteArray(),
          AwaitResponse.newBuilder()
              .setAsk(AskForCheckpoint.newBuilder().setAskedMs(1L << 41).setSignal(10))
              .setStacks(AskForStacks.newBuilder().setQuestion(1L << 50).setWhole(true))
              .build()
              .toByteArray(),
          AwaitResponse.newBuilder()
              .setTunnel(
                  OpenTunnel.newBuilder()
                      .setTunnel(1L << 45)
                      .setShell(
                          Shell.newBuilder()
                              .setCommand("ls")
                              .setTerminal("xterm")
                              .setWindow(Window.newBuilder().setRows(24).setColumns(80))))
              .build()
              .toByteArray(),
          HeartbeatResponse.newBuilder()
              .setEvents(1L << 33)
              .setMasterAttempt(2)
              .setTokens(
                  Tokens.newBuilder().setVersion(3).setCredentials(ByteString.copyFromUtf8("ab")))
              .build()
              .toByteArray(),
          PutResponse.newBuilder().setTaken(true).setClosed("gone").build().toByteArray(),
          TakeResponse.newBuilder()
              .setChunk(
                  io.tony.protocol.proto.TonyProtos.Chunk.newBuilder()
                      .setNumber(9)
                      .setData(ByteString.copyFromUtf8("data"))
                      .setEnd(true)
                      .setExitCode(130)
                      .setProblem("none"))
              .build()
              .toByteArray());

  @Rule public final Timeout limit = Timeout.seconds(60);

  private int read;
  private int refused;

  private interface Reading {
    void read() throws IOException, TunnelLink.TunnelClosedException;
  }

  /** The answer of one who has proved to be the ApplicationMaster is a defect where unreadable. */
  private static boolean isRead(Reading reading) {
    try {
      reading.read();
      return true;
    } catch (IOException | TunnelLink.TunnelClosedException e) {
      return false;
    } catch (IllegalStateException e) {
      if (e.getCause() instanceof IOException) {
        return false;
      }
      throw e;
    }
  }

  private void readOrRefuse(Reading reading) {
    if (isRead(reading)) {
      read++;
    } else {
      refused++;
    }
  }

  @Test
  public void shouldReadAnswersThatAreNearlyRightOrSayThatTheyAreNone() throws IOException {
    new Fuzz("wire", ANSWERS)
        .run(
            50_000,
            bytes -> {
              readOrRefuse(() -> new Reply(new WireReader(bytes)).command());
              readOrRefuse(() -> new Reply(new WireReader(bytes)).heartbeatReply());
              readOrRefuse(() -> new Reply(new WireReader(bytes)).accepted());
              readOrRefuse(() -> new Reply(new WireReader(bytes)).chunk());
              readOrRefuse(() -> RpcHeaders.readResponseHeader(new WireReader(bytes)));
            });
    assertTrue(read + " were read, " + refused + " refused", read > 1_000 && refused > 1_000);
  }

  @Test
  public void shouldReadFramesOfAnyLengthOrSayThatTheyAreNone() throws IOException {
    new Fuzz("wire", ANSWERS)
        .run(
            20_000,
            bytes -> {
              DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
              readOrRefuse(() -> Frames.read(in, LONGEST));
            });
    for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, LONGEST + 1}) {
      byte[] frame = ByteBuffer.allocate(8).putInt(length).array();
      DataInputStream in = new DataInputStream(new ByteArrayInputStream(frame));
      readOrRefuse(() -> Frames.read(in, LONGEST));
    }
  }

  /** As a server that knows no key would send them. */
  @Test
  public void shouldLogInToNoServerWhoseMessagesAreNearlyRight() throws IOException {
    byte[] header =
        new WireWriter().number(1, RpcHeaders.LOGIN_CALL_ID & 0xFFFF_FFFFL).number(2, 0).toBytes();
    byte[] challenge =
        "realm=\"default\",nonce=\"abc\",qop=\"auth\",charset=utf-8,algorithm=md5-sess"
            .getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream login = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(login);
    for (int state : new int[] {1, 3, 0}) {
      Frames.write(
          out,
          new WireWriter()
              .delimited(header)
              .delimited(
                  new WireWriter()
                      .number(2, state)
                      .bytes(3, challenge)
                      .message(
                          4,
                          new WireWriter()
                              .text(1, "TOKEN")
                              .text(2, MasterCalls.LOGIN_MECHANISM)
                              .text(3, "")
                              .text(4, "default")
                              .bytes(5, challenge))
                      .toBytes()));
    }
    new Fuzz("wire", List.of(login.toByteArray()))
        .run(
            5_000,
            bytes -> {
              boolean loggedIn = false;
              try {
                new TokenLogin(
                        new DataInputStream(new ByteArrayInputStream(bytes)),
                        new DataOutputStream(new ByteArrayOutputStream()),
                        new JobToken(new byte[] {1}, PASSWORD),
                        "auth")
                    .run();
                loggedIn = true;
              } catch (IOException e) {
                // In words.
              }
              assertEquals(false, loggedIn);
            });
  }

  /** Of whatever protoc's reader takes from nearly right bytes, written in its own way. */
  @Test
  public void shouldReadEachFieldThatProtocReads() throws IOException {
    new Fuzz("wire", ANSWERS)
        .run(
            50_000,
            bytes -> {
              UnknownFieldSet fields;
              try {
                fields = UnknownFieldSet.parseFrom(bytes);
              } catch (InvalidProtocolBufferException e) {
                return;
              }
              if (fields.asMap().values().stream().allMatch(f -> f.getGroupList().isEmpty())) {
                assertEquals(withoutFixed(fields), read(fields.toByteArray()));
              } // else it is of a kind that nobody has written for many years
            });
  }

  @Test
  public void shouldNotTakeAFieldWithoutANumberForTheEnd() throws IOException {
    WireReader reader = new WireReader(new byte[] {8, 1, 0, 1});
    assertEquals(1, reader.next());
    assertThrows(IOException.class, reader::next);
  }

  @Test
  public void shouldReadWhatItWrites() throws IOException {
    Random random = new Random(Fuzz.SEED);
    for (int i = 0; i < 5_000; i++) {
      long number = random.nextLong() >>> random.nextInt(64);
      int field = 1 + random.nextInt((1 << 29) - 1);
      byte[] bytes = new byte[random.nextInt(300)];
      random.nextBytes(bytes);
      WireReader reader =
          new WireReader(new WireWriter().number(field, number).bytes(field, bytes).toBytes());
      assertEquals(field, reader.next());
      assertEquals(number, reader.number());
      assertEquals(field, reader.next());
      assertArrayEquals(bytes, reader.bytes());
      assertEquals(0, reader.next());
    }
  }

  /** No message of ours has numbers of a fixed length. */
  private static UnknownFieldSet withoutFixed(UnknownFieldSet fields) {
    UnknownFieldSet.Builder rest = UnknownFieldSet.newBuilder();
    fields
        .asMap()
        .forEach(
            (field, values) -> {
              UnknownFieldSet.Field.Builder kept = UnknownFieldSet.Field.newBuilder();
              values.getVarintList().forEach(kept::addVarint);
              values.getLengthDelimitedList().forEach(kept::addLengthDelimited);
              if (!kept.build().equals(UnknownFieldSet.Field.getDefaultInstance())) {
                rest.addField(field, kept.build());
              }
            });
    return rest.build();
  }

  private static UnknownFieldSet read(byte[] bytes) throws IOException {
    UnknownFieldSet.Builder fields = UnknownFieldSet.newBuilder();
    WireReader types = new WireReader(bytes);
    WireReader reader = new WireReader(bytes);
    for (int field = reader.next(); field != 0; field = reader.next()) {
      types.next();
      UnknownFieldSet.Field.Builder value = UnknownFieldSet.Field.newBuilder();
      try {
        value.addVarint(types.number());
        reader.number();
      } catch (IOException notANumber) {
        try {
          value.addLengthDelimited(ByteString.copyFrom(types.bytes()));
          reader.bytes();
        } catch (IOException neither) {
          continue; // of a fixed length
        }
      }
      fields.mergeField(field, value.build());
    }
    return fields.build();
  }
}
