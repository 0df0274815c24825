package io.tony.client.check;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import io.tony.client.input.Arguments;
import io.tony.client.input.FileCheck;
import io.tony.client.input.InvalidJobException;
import io.tony.client.input.JobFolder;
import io.tony.client.input.JobSources;
import io.tony.config.TonyConfig;
import io.tony.config.declared.Registry;
import io.tony.config.option.ConfigException;
import io.tony.config.option.ConfigOption;
import io.tony.model.JobSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * Whatever a job says, its check ends with a job or with what is wrong. Another seed: {@code
 * -Dtony.fuzz.seed}.
 */
public class HostileJobTest {
  private static final long SEED = Long.getLong("tony.fuzz.seed", 20261122L);

  private static final List<String> HOSTILE =
      List.of(
          "",
          " ",
          "\0",
          "a\0b",
          "\n",
          "x\r\ny: z",
          "\t=,=,",
          ",",
          "=",
          "-1",
          "0",
          "1",
          "2147483647",
          "2147483648",
          "9223372036854775807",
          "9223372036854775808",
          "-9223372036854775808",
          "999999999999999t",
          "999999999999999d",
          "99999999999999d",
          "106752d",
          "1e999",
          "1e-999999999999",
          "1e2147483647",
          "NaN",
          "0x1p3",
          "١٢٣",
          "true",
          "../../../../etc/passwd",
          "/dev/zero",
          "~/.ssh",
          "file:///etc/passwd",
          "hdfs://",
          "hdfs:///a b%zz",
          "://",
          "s3a://u:p@",
          "http://[::1",
          "a::b#archive",
          "::",
          "::#archive",
          "a,b,a#archive,::c",
          "worker",
          "worker,worker",
          "in,node,worker",
          "notin,node,",
          "$(touch x)`touch y`;'\"",
          "${a}${b",
          "\ud800",
          "\udfff\ud800",
          "\u202e\u2028\u0085\uffff",
          "🚀漢字ß",
          "%s%n%d{0}",
          "x".repeat(10_000),
          "9".repeat(10_000),
          "0." + "9".repeat(10_000),
          "a=".repeat(10_000),
          "a,".repeat(10_000),
          "token".repeat(4_000),
          "a://".repeat(5_000),
          "(".repeat(10_000),
          "'".repeat(9_999));

  private static final Configuration CONF = new Configuration();

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(120);

  private final Random random = new Random(SEED);

  private static String named(ConfigOption<?> option) {
    return option.key().replaceAll("\\{role}", "worker").replaceAll("\\{[A-Za-z]+}", "X");
  }

  @Test
  public void shouldReadAnyValueOfAnyOptionOrSayWhatIsWrong() {
    for (ConfigOption<?> option : Registry.all()) {
      List<String> values = new ArrayList<>(HOSTILE);
      for (int i = 0; i < 50; i++) {
        values.add(anyText());
      }
      for (String value : values) {
        Object read;
        try {
          read = option.parse(value);
        } catch (IllegalArgumentException e) {
          assertNotNull(option.key(), e.getMessage());
          continue;
        } catch (RuntimeException e) {
          throw failed(option.key(), value, e);
        }
        assertMakesSense(option.key(), value, read);
      }
    }
  }

  /** Every time fits into nanoseconds, and every number is one. */
  private static void assertMakesSense(String key, String value, Object read) {
    try {
      if (read instanceof Duration time) {
        assertTrue(key, time.toNanos() >= 0);
      } else if (read instanceof Double number) {
        assertTrue(key, Double.isFinite(number));
      }
      assertNotNull(key, read);
    } catch (ArithmeticException e) {
      throw failed(key, value, e);
    }
  }

  @Test
  public void shouldCheckAJobWithAnyValues() throws IOException {
    Path folder = temporary.newFolder("job").toPath();
    List<JobFolder> folders =
        List.of(JobFolder.of(folder), JobFolder.ofStep(folder, List.of(folder), List.of()));
    for (ConfigOption<?> option : Registry.all()) {
      for (int i = 0; i < 4; i++) {
        Map<String, String> values = new HashMap<>();
        values.put("tony.worker.instances", "1");
        values.put("tony.application.executes", "true");
        values.put(named(option), anyValue());
        if (i > 1) {
          values.put(named(Registry.all().get(random.nextInt(Registry.all().size()))), anyValue());
        }
        check(values, folders.get(i % 2));
      }
    }
  }

  @Test
  public void shouldCheckAStepWithAnyProperties() throws IOException {
    Path folder = temporary.newFolder("step").toPath();
    JobFolder step = JobFolder.ofStep(folder, List.of(folder), List.of());
    List<String> names =
        List.of(
            "executes",
            "src_dir",
            "task_params",
            "python_venv",
            "python_binary_path",
            "framework",
            "hdfs_classpath",
            "tony.conf",
            "worker_env.X",
            "conf_file",
            "instances",
            "ps",
            "queue");
    for (int i = 0; i < 150; i++) {
      Map<String, String> properties = new HashMap<>();
      for (int n = 0; n < 3; n++) {
        String name = names.get(random.nextInt(names.size()));
        properties.put(random.nextInt(10) == 0 ? anyText() : name, anyValue());
      }
      try {
        check(
            JobSources.read(
                    new JobSources.JobInputs(Map.of(), properties, Map.of()), Map.of(), step, CONF)
                .asMap(),
            step);
      } catch (InvalidJobException e) {
        assertFalse(e.problems().isEmpty());
      } catch (RuntimeException e) {
        throw failed("a step", properties.toString(), e);
      }
    }
  }

  private static void check(Map<String, String> values, JobFolder folder) {
    try {
      TonyConfig config = TonyConfig.builder().layer("test", values).build();
      assertNotNull(config.toString());
      JobCheck check = JobCheck.of(config);
      JobSpec job = check.job();
      FileCheck files = new FileCheck(config, job, folder);
      files.checkLocal();
      for (List<String> said : List.of(check.errors(), check.warnings(), files.unusableFiles())) {
        said.forEach(problem -> assertFalse(problem.isBlank()));
      }
    } catch (ConfigException e) {
      assertNotNull(e.getMessage());
    } catch (RuntimeException | StackOverflowError e) {
      throw failed("a job", values.toString(), e);
    }
  }

  /** A file that is no job's: garbage, or a job's with bytes that are others. */
  @Test
  public void shouldReadAnyJobFileOrSayWhatIsWrong() throws IOException {
    Path file = temporary.newFile("any.job").toPath();
    Files.writeString(file, "type=tony\nexecutes=train.py\\\n  -x \\u00e4\nworkers : 2\n");
    byte[] good = Files.readAllBytes(file);
    for (int i = 0; i < 200; i++) {
      byte[] bytes = good.clone();
      if (i % 2 == 0) {
        bytes = new byte[random.nextInt(300)];
        random.nextBytes(bytes);
      } else {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      Files.write(file, bytes);
      try {
        assertNotNull(
            JobSources.read(
                Arguments.parse(
                    List.of("-job_file", file.toString()), JobSources.OPTION_NAMES, Set.of()),
                Map.of(),
                JobFolder.of(temporary.getRoot().toPath()),
                CONF));
      } catch (InvalidJobException e) {
        assertFalse(e.problems().isEmpty());
      } catch (RuntimeException e) {
        throw failed("a job file", new String(bytes, StandardCharsets.ISO_8859_1), e);
      }
    }
  }

  private String anyValue() {
    return random.nextInt(3) == 0 ? anyText() : HOSTILE.get(random.nextInt(HOSTILE.size()));
  }

  /** Letters of all kinds, the format's own among them. */
  private String anyText() {
    String format = "0123456789gmtdsh.,;:=#/-_+%$(){}[]'\" \n\0eE";
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(40); length > 0; length--) {
      text.append(
          random.nextInt(4) == 0
              ? (char) random.nextInt(Character.MAX_VALUE)
              : format.charAt(random.nextInt(format.length())));
    }
    return text.toString();
  }

  private static AssertionError failed(String what, String value, Throwable cause) {
    String shown = value.length() > 500 ? value.substring(0, 500) + "…" : value;
    return new AssertionError("-Dtony.fuzz.seed=" + SEED + ": " + what + ": " + shown, cause);
  }
}
