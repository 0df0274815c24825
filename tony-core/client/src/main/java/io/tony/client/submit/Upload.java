package io.tony.client.submit;

import io.tony.client.input.JobFolder;
import io.tony.client.input.LocalFile;
import io.tony.client.input.Sha256;
import io.tony.client.input.SourceArchive;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.ClientOptions;
import io.tony.config.declared.ProgramOptions;
import io.tony.config.declared.RoleOptions;
import io.tony.container.Staging;
import io.tony.model.FileSpec;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;

/**
 * Uploads a job's local files, and builds the configuration for the ApplicationMaster, in which
 * paths on the cluster replace the local paths. Large files go to the upload cache, where later
 * jobs find them. Small files go to the job's staging folder, which is deleted at the end of the
 * job, so that keys and passwords in shipped files do not stay on the cluster.
 */
public final class Upload {
  /**
   * Minimum size in bytes of a file that goes to the upload cache; uploading a smaller file takes
   * no longer than looking for a copy.
   */
  private static final long MIN_CACHED_BYTES = 256 << 10;

  private final Staging staging;
  private final Optional<UploadCache> cache;
  private final JobFolder folder;
  private final Configuration conf;
  private final Shipment shipment = new Shipment();
  private final Map<String, String> stagedPaths = new HashMap<>();

  /**
   * Hashes of the contents of the shipped files and folders, by the paths with which the job refers
   * to them.
   */
  private final Map<String, String> contentHashes = new HashMap<>();

  /**
   * Like {@link #contentHashes}, but as TonY 0.2 computed them: the hash of a folder is that of its
   * archive.
   */
  private final Map<String, String> packedHashes = new HashMap<>();

  Upload(Staging staging, Optional<UploadCache> cache, JobFolder folder, Configuration conf) {
    this.conf = conf;
    this.staging = staging;
    this.cache = cache;
    this.folder = folder;
  }

  /**
   * Uploads all files that the tasks need. If the thread is interrupted, the upload fails.
   *
   * @param clientValues options that the client sets; they override {@code config}
   * @return the configuration, as written to the staging folder
   */
  TonyConfig run(TonyConfig config, JobSpec job, Path jar, Map<String, String> clientValues)
      throws IOException {
    Map<String, String> values = new TreeMap<>(config.asMap());
    values.putAll(clientValues);
    values.remove(ClientOptions.KEYTAB_USER.key()); // valid only for this client, on this machine
    values.remove(ClientOptions.KEYTAB_LOCATION.key());
    values.put(
        ClientOptions.JAR.key(), shipFile(LocalFile.of(jar), staging.jar(), Staging.JAR).place());
    if (config.isSet(ProgramOptions.SRC_DIR)) {
      String source = config.get(ProgramOptions.SRC_DIR);
      values.put(ProgramOptions.SRC_DIR.key(), shipSource(source));
    }
    if (config.isSet(ProgramOptions.PYTHON_VENV)) {
      String venv = config.get(ProgramOptions.PYTHON_VENV);
      FileSpec spec = new FileSpec(venv, venv.substring(venv.lastIndexOf('/') + 1), true);
      values.put(ProgramOptions.PYTHON_VENV.key(), stage(spec).source());
    }
    if (config.isSet(ProgramOptions.FILES)) {
      values.put(ProgramOptions.FILES.key(), stageAll(config.get(ProgramOptions.FILES)));
    }
    for (RoleSpec role : job.roles()) {
      var files = RoleOptions.FILES.at(role.name());
      if (config.isSet(files)) {
        values.put(files.key(), stageAll(config.get(files)));
      }
    }
    if (JobIdentity.ofStep(config).isPresent()) {
      values.put(
          AzkabanOptions.SPECIFICATION.key(),
          Specification.hash(config, job, folder, conf, contentHashes));
    }
    String training = Specification.trainingHash(config, job, folder, conf, contentHashes);
    String legacyTraining = Specification.trainingHash(config, job, folder, conf, packedHashes);
    values.put(
        CheckpointOptions.TRAINING.key(),
        training.equals(legacyTraining) ? training : training + "," + legacyTraining);
    TonyConfig submittedConfig = TonyConfig.builder().layer("the submitted job", values).build();
    staging.writeConfig(submittedConfig);
    return submittedConfig;
  }

  /** Returns how many files {@link #run} has uploaded, and how many were already on the cluster. */
  Shipment shipment() {
    return shipment;
  }

  private String stageAll(List<String> specs) throws IOException {
    List<String> places = new ArrayList<>();
    for (String spec : specs) {
      places.add(stage(FileSpec.parse(spec)).toString());
    }
    return places.stream().collect(Collectors.joining(","));
  }

  private FileSpec stage(FileSpec spec) throws IOException {
    if (spec.isRemote()) {
      return spec;
    }
    Path source = folder.resolve(spec.source());
    boolean packed = Files.isDirectory(source);
    String place = stagedPaths.get(spec.source());
    if (place == null) {
      // The name on the cluster is written into YARN's shell script, so it must contain no special
      // characters. The task still sees the file as spec.name().
      String plain = source.getFileName().toString().replaceAll("[^A-Za-z0-9._-]", "_");
      String name = plain + (packed ? ".tar.gz" : "");
      place = ship(spec.source(), staging.file(stagedPaths.size(), name), name);
      stagedPaths.put(spec.source(), place);
    }
    return new FileSpec(place, spec.name(), spec.archive() || packed);
  }

  /**
   * Uploads the user's source folder as an archive, or the user's source archive, repacked in the
   * format that the executors unpack. Returns its path on the cluster.
   */
  private String shipSource(String named) throws IOException {
    Path source = folder.resolve(named);
    if (Files.isDirectory(source)) {
      return ship(named, staging.source(), Staging.SOURCE);
    }
    LocalFile archive = folder.file(source);
    recordHashes(named, Sha256.of(archive), Sha256.of(archive));
    return shipPacked(out -> SourceArchive.repack(archive, out), staging.source(), Staging.SOURCE)
        .place();
  }

  /** Uploads a file unchanged, or a folder as an archive; returns its path on the cluster. */
  private String ship(String named, org.apache.hadoop.fs.Path target, String name)
      throws IOException {
    Path source = folder.resolve(named);
    if (Files.isDirectory(source)) {
      return shipFolder(named, source, target, name);
    }
    ShippedFile shipped = shipFile(folder.file(source), target, name);
    recordHashes(named, shipped.hash(), shipped.hash());
    return shipped.place();
  }

  private String shipFolder(
      String named, Path source, org.apache.hadoop.fs.Path target, String name) throws IOException {
    AtomicReference<String> hash = new AtomicReference<>();
    ShippedFile shipped =
        shipPacked(out -> hash.set(SourceArchive.write(source, folder, out)), target, name);
    recordHashes(named, Objects.requireNonNull(hash.get()), shipped.hash());
    return shipped.place();
  }

  private void recordHashes(String named, String hash, String packedHash) {
    contentHashes.put(named, hash);
    packedHashes.put(named, packedHash);
  }

  private interface Packer {
    void pack(OutputStream out) throws IOException;
  }

  private ShippedFile shipPacked(Packer packer, org.apache.hadoop.fs.Path target, String name)
      throws IOException {
    // Pack first, because the path on the cluster contains the hash of the contents. The name
    // prefix excludes the archive from being packed itself.
    Path packed = Files.createTempFile(".tony-", ".tar.gz");
    try {
      try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(packed))) {
        packer.pack(out);
      }
      return shipFile(LocalFile.of(packed), target, name);
    } finally {
      Files.delete(packed);
    }
  }

  /** A shipped file: its path on the cluster and the hash of its contents. */
  private record ShippedFile(String place, String hash) {}

  private ShippedFile shipFile(LocalFile file, org.apache.hadoop.fs.Path target, String name)
      throws IOException {
    long bytes = Files.size(file.path());
    if (cache.isPresent() && bytes >= MIN_CACHED_BYTES) {
      Optional<UploadCache.Copy> copy = cache.get().getOrUpload(file, name);
      if (copy.isPresent()) {
        if (copy.get().reused()) {
          shipment.addReused(bytes);
        } else {
          shipment.addUploaded(bytes);
        }
        return new ShippedFile(copy.get().path().toString(), copy.get().hash());
      }
    }
    String hash;
    try (OutputStream out = staging.write(target)) {
      hash = Sha256.copy(file, out);
    }
    shipment.addUploaded(bytes);
    return new ShippedFile(target.toString(), hash);
  }
}
