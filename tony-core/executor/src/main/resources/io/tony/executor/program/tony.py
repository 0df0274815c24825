"""Reports progress, outputs and checkpoints of a training program to TonY.

    import os, torch, tony

    start = tony.resume()
    for step in range(start.step + 1 if start else 1, steps + 1):
        loss = train(step)
        tony.progress(step, steps, loss=loss)
        if tony.keeps_checkpoints() and (step % 100 == 0 or tony.checkpoint_asked()):
            path = os.path.join(tony.checkpoint_folder(), f"step-{step}.pt")
            torch.save(state, path)
            tony.checkpoint(path, step)
    tony.output(accuracy=0.93)

keras_callback(), lightning_callback() and transformers_callback() do this for programs that use these libraries.
Outside TonY nothing is reported or kept, so that the same program runs on a laptop.

If a task has several processes, as under torchrun, only the process with LOCAL_RANK 0 reports; the calls of the
others have no effect.

TonY puts this file on the PYTHONPATH of every task. The guide is docs/tony-py.md.
"""

import atexit
import collections
import contextlib
import json
import os
import re
import shutil
import sys
import time

__all__ = [
    "Checkpoint",
    "checkpoint",
    "checkpoint_asked",
    "checkpoint_folder",
    "keeps_checkpoints",
    "keras_callback",
    "lightning_callback",
    "output",
    "progress",
    "resume",
    "transformers_callback",
]

Checkpoint = collections.namedtuple("Checkpoint", "path step")
Checkpoint.__doc__ = "A checkpoint to go on from: its local path, a file or a folder, and its step."

_PROGRESS_EVERY_S = 1.0
_MAX_STEP = 10**12 - 1


def _reports():
    return os.environ.get("LOCAL_RANK", "0") == "0"


def _file(variable):
    """Returns the path of a file that TonY reads; None outside TonY and in a process that does not report."""
    return (os.environ.get(variable) or None) if _reports() else None


def _append(path, text):
    with open(path, "a", encoding="utf-8") as file:
        file.write(text)


# ---- Progress ----


class _Progress:
    """Writes at most one line per second. The last line is written at the program's end at the latest."""

    def __init__(self):
        self.waiting = None
        self.written = None
        self.failed = False

    def is_due(self):
        return self.written is None or time.monotonic() - self.written >= _PROGRESS_EVERY_S

    def report(self, step, total, metrics):
        self.waiting = (step, total, metrics)
        if self.is_due():
            self.write()

    def write(self):
        path = _file("TONY_PROGRESS_FILE")
        if self.waiting is None or path is None:
            return
        (step, total, metrics), self.waiting = self.waiting, None
        try:
            _append(path, _progress_line(step, total, metrics))
        except Exception as e:  # A failed report must not fail the training.
            if not self.failed:
                print("tony: the progress is not told: {}".format(e), file=sys.stderr)
            self.failed = True
        self.written = time.monotonic()

    def write_at_exit(self):
        if self.waiting is not None and getattr(sys, "last_type", None) is not None:
            # The program has failed: reading a tensor could block on its device, so tensors are left out.
            step, total, metrics = self.waiting
            self.waiting = (step, total, {name: v for name, v in metrics.items() if not hasattr(v, "item")})
        self.write()


def _progress_line(step, total, metrics):
    words = ["step {}".format(int(step)) if total is None else "step {}/{}".format(int(step), int(total))]
    for name, value in metrics.items():
        words.append("{}={}".format("_".join(str(name).split()), _text(value)))
    return " ".join(words) + "\n"


def _text(value):
    """Formats a value; a tensor or an array must hold a single number."""
    value = value.item() if hasattr(value, "item") else value
    return "{:.6g}".format(value) if isinstance(value, float) else " ".join(str(value).split())


_progress = _Progress()
atexit.register(_progress.write_at_exit)


def progress(step, total=None, **metrics):
    """Reports how far the training is. The progress is shown while the job runs and stored with the job.

        tony.progress(1200, 10000, loss=0.31)

    step: number of steps done since the first start of the training, not only since this start.
    total: total number of steps; without it, no percentage is shown.
    metrics: numbers to show, such as loss=0.31. A number in a tensor is read only when its line is written.

    Call it after each step: it writes at most one line per second, and the last line at the program's end. A file
    that cannot be written raises no error; the first failure is printed to stderr.
    """
    _progress.report(step, total, metrics)


# ---- Outputs ----


def output(values=None, **more):
    """Passes values to later steps of the flow.

        tony.output(accuracy=0.93)  # ${tony.output.accuracy} in a later step
        tony.output({"model.path": "hdfs:///models/7"})

    values: a dictionary, for names that Python does not allow as keywords.
    more: values by name. The last value of a name counts, also over several calls.

    Raises ValueError if a name is empty or contains "=" or a line break, or if a value contains a line break, and
    OSError if the file cannot be written.
    """
    lines = []
    for name, value in dict(values or {}, **more).items():
        name, value = str(name), str(value.item() if hasattr(value, "item") else value)
        if not name.strip() or "=" in name or _breaks(name) or _breaks(value):
            raise ValueError("the output {!r}={!r} is no line of the form name=value".format(name, value))
        lines.append("{}={}\n".format(name, value))
    path = _file("TONY_OUTPUT_FILE")
    if path is not None:
        _append(path, "".join(lines))


def _breaks(text):
    return "\n" in text or "\r" in text


# ---- Checkpoints ----


def resume():
    """Returns the Checkpoint to go on from; None if the training begins at the start, and outside TonY.

        start = tony.resume()
        if start:
            model.load_state_dict(torch.load(start.path))
        first_step = start.step + 1 if start else 1

    start.path is a local file or folder; start.step is the step that was given to checkpoint(), or TonY's count. All
    processes of a task get the same checkpoint.
    """
    path = os.environ.get("TONY_CHECKPOINT_LATEST")
    return Checkpoint(path, int(os.environ["TONY_CHECKPOINT_STEP"])) if path else None


def keeps_checkpoints():
    """Returns whether TonY keeps the checkpoints that this process names. By default only the chief's are kept.

        if tony.keeps_checkpoints() and step % 100 == 0:
            save(step)

    False outside TonY, and in processes of a task whose LOCAL_RANK is not 0.
    """
    return _file("TONY_CHECKPOINT_FILE") is not None


def checkpoint_folder(otherwise="checkpoints"):
    """Returns a local folder for checkpoints, which is empty at each start. All processes of a task share it.

        path = os.path.join(tony.checkpoint_folder(), "step-1200.pt")

    otherwise: the folder to use outside TonY; it is created if missing and not emptied.

    Raises OSError if the folder cannot be created.
    """
    folder = os.environ.get("TONY_CHECKPOINT_LOCAL") or otherwise
    os.makedirs(folder, exist_ok=True)
    return folder


def checkpoint(path, step=None):
    """Names a complete checkpoint. TonY copies it to the cluster while the program goes on.

        path = os.path.join(tony.checkpoint_folder(), "step-1200.pt")
        torch.save(state, path)
        tony.checkpoint(path, 1200)

    path: a file or folder that is not written to any more. Write each checkpoint to a new path, and delete old ones
        at least one second after naming them.
    step: a number from 0 to 999999999999, higher than those before; without it, TonY counts the checkpoints. Give a
        step always or never.

    Returns whether TonY keeps checkpoints of this process: False outside TonY, and in processes that keep none. The
    copy can still fail; the job's log says so.

    Raises ValueError if the path contains a line break, begins or ends with blanks or ends like " step=7", or if the
    step is out of range, FileNotFoundError if the path does not exist, and OSError if the name cannot be written.
    """
    path = os.path.abspath(os.fspath(path))
    if _breaks(path) or path != path.strip() or re.search(r"\sstep=\d+$", path):
        raise ValueError("the checkpoint {!r} needs a path that is a line of its own, without blanks around it".format(path))
    if step is not None and not 0 <= int(step) <= _MAX_STEP:
        raise ValueError("the step of the checkpoint {} is {}; it is from 0 to {}".format(path, step, _MAX_STEP))
    _request_file.answered()  # Also in a process that keeps none: it cannot do more.
    file = _file("TONY_CHECKPOINT_FILE")
    if file is None:
        return False
    if not os.path.exists(path):
        raise FileNotFoundError("there is no checkpoint {}: name it when it is written".format(path))
    _append(file, path + ("\n" if step is None else " step={}\n".format(int(step))))
    return True


class _RequestFile:
    """The request file, in which TonY writes the time of a request. A request is open until a checkpoint is named."""

    def __init__(self):
        self.answer = None

    @staticmethod
    def question():
        try:
            with open(os.environ.get("TONY_CHECKPOINT_ASKED") or os.devnull, encoding="utf-8") as file:
                return file.read()
        except OSError:
            return ""

    def answered(self):
        self.answer = self.question()

    def is_open(self):
        question = self.question()
        return question != "" and question != self.answer


_request_file = _RequestFile()


def checkpoint_asked():
    """Returns whether TonY wants a checkpoint soon: before YARN takes a container, or before the gang grows.

        if tony.keeps_checkpoints() and (step % 100 == 0 or tony.checkpoint_asked()):
            save(step)

    True from TonY's request until this process calls checkpoint(); False outside TonY. If several processes save
    together, let one of them call this function and send the answer to the others, because they do not see the
    request in the same step. Reads a small local file, so it may be called for each step.
    """
    return _request_file.is_open()


# ---- Callbacks ----


def _delete(path):
    if os.path.isdir(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            os.remove(path)


class _OwnFiles:
    """Files that a callback has saved. Deletes all but the newest two, and none in its first 5 s, in which TonY may
    not have taken it yet.
    """

    def __init__(self):
        self.saved = collections.OrderedDict()

    def __contains__(self, path):
        return path in self.saved

    def __len__(self):
        return len(self.saved)

    def add(self, path):
        self.saved[path] = time.monotonic()
        for older in list(self.saved)[:-2]:
            if time.monotonic() - self.saved[older] > 5:
                del self.saved[older]
                if _reports():  # All processes of a task share the folder.
                    _delete(older)


def keras_callback(every_epochs=1):
    """Returns a Keras callback that reports progress, and saves a checkpoint after each epoch and when TonY asks.

        model.fit(data, epochs=10, callbacks=[tony.keras_callback(every_epochs=2)])

    every_epochs: number of epochs between checkpoints, which keras.models.load_model reads; 0 to save none.

    With several workers, nothing is saved when TonY asks, because they must save together. Raises ImportError if
    neither Keras nor TensorFlow is installed.
    """
    try:
        import keras
    except ImportError:
        from tensorflow import keras

    class TonyCallback(keras.callbacks.Callback):
        first_epoch = None

        def on_train_begin(self, logs=None):
            optimizer = getattr(self.model, "optimizer", None)
            self.begin = self.done = self.before = int(optimizer.iterations) if optimizer is not None else 0
            self.saved = _OwnFiles()
            # Workers of a TensorFlow strategy, and processes of JAX, save together, each into its own folder; TonY keeps
            # one of the files.
            cluster = json.loads(os.environ.get("TF_CONFIG", "{}")).get("cluster", {})
            workers = sum(len(tasks) for tasks in cluster.values())
            self.together = max(workers, int(os.environ.get("JAX_NUM_PROCESSES", "1"))) > 1

        def on_epoch_begin(self, epoch, logs=None):
            self.first_epoch = epoch if self.first_epoch is None else self.first_epoch
            self.before = self.done

        def on_train_batch_end(self, batch, logs=None):
            self.done = self.before + batch + 1
            _progress.report(self.done, self._total(), dict(logs or {}))
            if every_epochs and keeps_checkpoints() and not self.together and checkpoint_asked():
                self._save()

        def on_epoch_end(self, epoch, logs=None):
            _progress.report(self.done, self._total(), dict(logs or {}))
            if every_epochs and (epoch + 1) % every_epochs == 0:
                self._save()

        def _total(self):
            steps, epochs = self.params.get("steps"), self.params.get("epochs")
            return self.begin + steps * (epochs - self.first_epoch) if steps and epochs else None

        def _save(self):
            if "TONY_CHECKPOINT_LOCAL" not in os.environ or not (keeps_checkpoints() or self.together):
                return
            path = os.path.join(checkpoint_folder(), "step-{}.keras".format(self.done))
            if path in self.saved:
                return
            self.model.save(path)
            checkpoint(path, self.done)
            self.saved.add(path)

    return TonyCallback()


def lightning_callback(every_epochs=1):
    """Returns a Lightning callback that reports progress, and saves a checkpoint after each epoch.

        trainer = Trainer(max_epochs=10, callbacks=[tony.lightning_callback()])
        trainer.fit(model, data, ckpt_path=start.path if start else None)

    every_epochs: number of epochs between checkpoints, which trainer.fit(ckpt_path=…) reads; 0 to save none.

    A single process also saves when TonY asks. Under torchrun with several tasks, rank 0, which writes the files, may
    be in another task than the one whose checkpoints TonY keeps; then stderr says so and nothing is kept. Raises
    ImportError if Lightning is not installed.
    """
    try:
        import lightning.pytorch as lightning
    except ImportError:
        import pytorch_lightning as lightning

    class TonyCallback(lightning.Callback):
        def on_train_start(self, trainer, pl_module):
            total = trainer.estimated_stepping_batches
            self.total = None if total == float("inf") else int(total)
            self.saved = _OwnFiles()

        def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
            if _progress.is_due():
                self._report(trainer)
            if every_epochs and trainer.world_size == 1 and checkpoint_asked():
                self._save(trainer)

        def on_train_epoch_end(self, trainer, pl_module):
            self._report(trainer)
            if every_epochs and (trainer.current_epoch + 1) % every_epochs == 0:
                self._save(trainer)

        def _report(self, trainer):
            _progress.report(trainer.global_step, self.total, dict(trainer.callback_metrics))

        def _save(self, trainer):
            if "TONY_CHECKPOINT_LOCAL" not in os.environ:
                return
            path = os.path.join(checkpoint_folder(), "step-{}.ckpt".format(trainer.global_step))
            if path in self.saved:
                return
            trainer.save_checkpoint(path, weights_only=False)  # Called on all ranks; rank 0 writes the file.
            if os.path.exists(path):
                checkpoint(path, trainer.global_step)
            elif keeps_checkpoints() and not self.saved:
                print(
                    "tony: no checkpoint is kept: Lightning writes them on rank 0, which torchrun has put into another"
                    " task. Run one process per task without torchrun, or write to TONY_CHECKPOINT_DIR",
                    file=sys.stderr,
                )
            self.saved.add(path)

    return TonyCallback()


def transformers_callback():
    """Returns a Transformers callback that reports progress, and names each checkpoint that the trainer saves.

        args = TrainingArguments(output_dir=tony.checkpoint_folder(), save_steps=500, save_total_limit=2)
        trainer = Trainer(model, args, callbacks=[tony.transformers_callback()])
        trainer.train(resume_from_checkpoint=start.path if start else None)

    The trainer's arguments decide when it saves. A single process also saves when TonY asks. Under torchrun with
    several tasks, rank 0, which saves the model, may be in another task than the one whose checkpoints TonY keeps; then
    stderr says so and nothing is kept. Raises ImportError if Transformers is not installed.
    """
    import transformers

    class TonyCallback(transformers.TrainerCallback):
        def __init__(self):
            self.metrics = {}  # last value of each metric; they are logged at different times
            self.warned = False

        def on_log(self, args, state, control, logs=None, **kwargs):
            for name, value in (logs or {}).items():
                if isinstance(value, (int, float)) and not name.startswith(("train_", "total_")):
                    self.metrics[name] = value
            self._report(state)

        def on_step_end(self, args, state, control, **kwargs):
            self._report(state)
            # Several processes must save together, but do not see the request in the same step.
            if args.world_size == 1 and keeps_checkpoints() and checkpoint_asked():
                control.should_save = True

        def on_save(self, args, state, control, **kwargs):
            if not keeps_checkpoints():
                return
            if args.should_save:
                checkpoint(os.path.join(args.output_dir, "checkpoint-{}".format(state.global_step)), state.global_step)
            elif not self.warned:
                self.warned = True
                print(
                    "tony: no checkpoint is kept: Transformers writes them on rank 0, which torchrun has put into another"
                    " task. Run one process per task without torchrun, or save to a folder that all nodes mount",
                    file=sys.stderr,
                )

        def _report(self, state):
            if state.max_steps > 0:  # otherwise the trainer only evaluates
                _progress.report(state.global_step, state.max_steps, dict(self.metrics))

    return TonyCallback()
