"""Trains a small network on one intra-op thread, and writes how fast it was to the file RESULT.

usage: training.py FRAMEWORK STEPS [TURNS]
RESULT gets a JSON object: steps, wall and cpu (seconds of the timed steps), executor_cpu (seconds that the
TaskExecutor above this process used meanwhile; null where there is none), environment and version; and turns, each
two step rates: beside the executor as it runs, and beside it while it is stopped.
"""
import json
import os
import pathlib
import signal
import sys
import time

WARM_UP_STEPS = 20
TURN_S = 0.25  # short: the machine's speed changes from second to second
BATCH, WIDTH = 64, 256


def tensorflow_step():
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    with strategy.scope():
        weights = [tf.Variable(tf.random.stateless_normal([WIDTH, WIDTH], [1, i]) * 0.05) for i in range(4)]
    x = tf.random.stateless_normal([BATCH, WIDTH], [2, 0])

    def train():
        with tf.GradientTape() as tape:
            y = x
            for weight in weights:
                y = tf.nn.relu(y @ weight)
            loss = tf.reduce_mean((y - x) ** 2)
        gradients = tape.gradient(loss, weights)
        context = tf.distribute.get_replica_context()
        for weight, gradient in zip(weights, context.all_reduce("sum", gradients)):
            weight.assign_sub(0.01 * gradient)
        return loss

    @tf.function
    def step():
        return strategy.run(train)

    return (lambda: float(strategy.reduce("sum", step(), axis=None))), tf.__version__


def pytorch_step():
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(1)
    torch.distributed.init_process_group("gloo")
    layers = [part for _ in range(4) for part in (torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU())]
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(BATCH, WIDTH)

    def step():
        optimizer.zero_grad()
        loss = ((model(x) - x) ** 2).mean()
        loss.backward()
        optimizer.step()
        return float(loss)

    return step, torch.__version__


def executor():
    """The process of the TaskExecutor that runs this program, or None."""
    pid = os.getpid()
    while pid > 1:
        process = pathlib.Path("/proc", str(pid))
        if b"io.tony.executor.TaskExecutor" in process.joinpath("cmdline").read_bytes().split(b"\0"):
            return process
        pid = int(process.joinpath("stat").read_text().rpartition(")")[2].split()[1])
    return None


def cpu_of(process):
    fields = process.joinpath("stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rate(step):
    steps, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < TURN_S:
        step()
        steps += 1
    return steps / (time.perf_counter() - begin)


def take_turns(step, pid, turns):
    """What runs first changes, so that a machine that becomes slower favours neither."""
    rates = []
    try:
        for turn in range(turns):
            pair = {}
            for state in (signal.SIGCONT, signal.SIGSTOP)[::-1 if turn % 2 else 1]:
                os.kill(pid, state)
                pair[state] = rate(step)
            rates.append((pair[signal.SIGCONT], pair[signal.SIGSTOP]))
    finally:
        os.kill(pid, signal.SIGCONT)
    return rates


def main():
    framework, steps, turns = sys.argv[1], int(sys.argv[2]), int((sys.argv + [0])[3])
    step, version = {"tensorflow": tensorflow_step, "pytorch": pytorch_step}[framework]()
    for _ in range(WARM_UP_STEPS):
        step()
    above = executor()
    executor_cpu = cpu_of(above) if above else None
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(steps):
        step()
    result = {
        "steps": steps,
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "executor_cpu": cpu_of(above) - executor_cpu if above else None,
        "turns": take_turns(step, int(above.name), turns) if turns else [],
        "version": version,
        "environment": dict(os.environ),
    }
    pathlib.Path(os.environ["RESULT"]).write_text(json.dumps(result))


main()
