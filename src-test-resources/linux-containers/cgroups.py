"""The cgroups (v1) functions of YARN's container-executor: adds processes to a cgroup and denies it access to GPUs."""

NVIDIA = 195  # the kernel's major number of NVIDIA's devices


def join(groups, pid):
    """Adds a process to the cgroups in YARN's argument: cgroups=FILE%FILE, or cgroups=none."""
    for file in groups.removeprefix("cgroups=").split("%"):
        if file != "none":
            write(file, pid)


def deny_gpus(configuration, *options):
    """Denies a container the GPUs in YARN's options: --container_id CONTAINER --excluded_gpus MINOR,MINOR."""
    named = dict(zip(options[::2], options[1::2]))
    root = configuration.value("root", section="cgroups")
    hierarchy = configuration.value("yarn-hierarchy", section="cgroups")
    for minor in named.get("--excluded_gpus", "").split(","):
        if minor:
            write(f"{root}/devices/{hierarchy}/{named['--container_id']}/devices.deny", f"c {NVIDIA}:{minor} rwm")


def write(file, value):
    with open(file, "w", encoding="ascii") as sink:
        sink.write(str(value))
