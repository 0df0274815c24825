"""Translates the command files of YARN's Java code into Docker commands, if container-executor.cfg allows them."""

import os
import subprocess
import sys

from configuration import Configuration

SECTION = "docker"
COMMAND_SECTION = "docker-command-execution"


class Refused(Exception):
    """Raised for a command that the administrator does not allow; has the message of YARN's own helper."""

    def __init__(self, code, message, reason):
        super().__init__(
            f"{reason}\nError constructing docker command, docker error code={code}, error message='{message}'"
        )


class Docker:
    def __init__(self, configuration):
        self.configuration = configuration
        self.binary = configuration.value("docker.binary", "/usr/bin/docker", SECTION)

    def allowed(self, name):
        return self.configuration.values(name, SECTION)

    def call(self, arguments):
        return subprocess.call([self.binary, *arguments], stdin=subprocess.DEVNULL)

    def output(self, *arguments):
        return subprocess.check_output([self.binary, *arguments], text=True).strip()

    def inspected(self, container, what):
        return self.output("inspect", f"--format={what}", container)

    def exit_code(self, container):
        """Waits for a container's end and returns its exit code."""
        return int(self.output("wait", container))

    def translated(self, file):
        """Returns Docker's arguments for a command file."""
        command = Command(Configuration(file))
        name = command.one("docker-command")
        simple = {
            "kill": lambda: [*command.option("signal", "--signal="), command.one("name")],
            "stop": lambda: [*command.option("time", "--time="), command.one("name")],
            "rm": lambda: [command.one("name")],
            "start": lambda: [command.one("name")],
            "inspect": lambda: [*command.option("format", "--format="), command.one("name")],
            "pull": lambda: [command.one("image")],
            "images": lambda: [command.one("image"), *command.option("filter", "--filter=")],
            "run": lambda: self.run_arguments(command),
        }
        if name not in simple:
            raise Refused(10, "Unknown docker command", f"{name} is not among what this stand-in does")
        return [name, *simple[name]()]

    def run_arguments(self, command):
        image = command.one("image")
        trusted = self.trusts(image)
        arguments = [f"--name={command.one('name')}", f"--user={command.one('user')}", "-d"]
        arguments += command.option("workdir", "--workdir=")
        network = command.one("net")
        if network not in self.allowed("docker.allowed.networks"):
            raise Refused(
                14, "Invalid docker network", f"Invalid param '{network}' requested\n"
                "Could not find requested network in allowed networks"
            )
        arguments.append(f"--net={network}")
        runtime = command.one("runtime")
        if runtime is not None:
            if not trusted or runtime not in self.allowed("docker.allowed.runtimes"):
                raise Refused(
                    27, "Invalid docker runtime", f"Invalid param '{runtime}' requested\n"
                    "Could not find requested runtime in allowed runtimes"
                )
            arguments.append(f"--runtime={runtime}")
        if trusted:
            for mount in command.many("mounts"):
                self.check_mount(*mount.split(":"))
                arguments += ["-v", mount.replace("+", ",")]
        else:
            sys.stderr.write("Disable mount volume for untrusted image\n")
        arguments.append("--cap-drop=ALL")
        for capability in command.many("cap-add") if trusted else []:
            if capability not in self.allowed("docker.allowed.capabilities"):
                raise Refused(15, "Invalid docker capability", f"Invalid param '{capability}' requested")
            arguments.append(f"--cap-add={capability}")
        arguments += command.option("hostname", "--hostname=")
        for group in command.many("group-add"):
            arguments += ["--group-add", group]
        arguments += command.option("environ", "--env-file=")
        return [*arguments, image, *command.many("launch-command")]

    def trusts(self, image):
        """Returns whether the image is trusted; other images run without mounts, and so without the job's files."""
        registries = self.allowed("docker.trusted.registries")
        if "library" in registries and "/" not in image:
            return True
        if any(image.startswith(registry.rstrip("/") + "/") for registry in registries):
            return True
        sys.stderr.write(f"image: {image} is not trusted.\n")
        return False

    def check_mount(self, source, destination, mode):
        writable = [real(folder) for folder in self.allowed("docker.allowed.rw-mounts")]
        readable = [real(folder) for folder in self.allowed("docker.allowed.ro-mounts")] + writable
        if not os.path.exists(source):
            raise Refused(
                23, "Invalid mount", f"Could not determine real path of mount '{source}'\n"
                f"Invalid mount src='{source}', dest='{destination}'"
            )
        rw = mode.startswith("rw")
        if not any(within(real(source), folder) for folder in (writable if rw else readable)):
            raise Refused(
                25 if rw else 24, "Invalid read-write mount" if rw else "Invalid read-only mount",
                f"Configuration does not allow mount src='{source}', dest='{destination}'"
            )


class Command:
    """The content of one command file."""

    def __init__(self, configuration):
        self.configuration = configuration

    def one(self, name):
        return self.configuration.value(name, section=COMMAND_SECTION)

    def many(self, name):
        return self.configuration.values(name, COMMAND_SECTION)

    def option(self, name, flag):
        value = self.one(name)
        return [] if value is None else [flag + value]


def real(path):
    return os.path.realpath(path)


def within(path, folder):
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def run(configuration, command_file):
    try:
        arguments = Docker(configuration).translated(command_file)
    except Refused as refusal:
        sys.stderr.write(f"{refusal}\n")
        sys.exit(29)
    execute(configuration, arguments)


def execute(configuration, arguments):
    binary = Docker(configuration).binary
    os.execv(binary, [binary, *arguments])
