"""What a program tells TonY, and what TonY tells it.

    import tony

    start = tony.resume()
    for step in range(start.step + 1 if start else 1, steps + 1):
        loss = train(step)
        tony.progress(step, steps, loss=loss)
        if tony.keeps_checkpoints() and (step % 100 == 0 or tony.checkpoint_asked()):
            path = os.path.join(tony.checkpoint_folder(), f"step-{step}.pt")
            torch.save(state, path)
            tony.checkpoint(path, step)
    tony.output(accuracy=0.93)

Keras, Lightning and Transformers have callbacks that do this: keras_callback(), lightning_callback() and
transformers_callback(). Outside TonY nothing is told or kept.

A task may have several processes, as under torchrun. Only the one with LOCAL_RANK 0 speaks for the task; calls of the
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
_MOST_STEP = 10**12 - 1


def _speaks():
    return os.environ.get("LOCAL_RANK", "0") == "0"


def _file(variable):
    """The path of a file that TonY reads; None outside TonY, and in a process that does not speak."""
    return (os.environ.get(variable) or None) if _speaks() else None


def _append(path, text):
    with open(path, "a", encoding="utf-8") as file:
        file.write(text)


# ---- Progress ----


class _Progress:
    """Writes a line a second at most. The last one is written when the program ends, if not before."""

    def __init__(self):
        self.waiting = None
        self.written = None
        self.failed = False

    def is_due(self):
        return self.written is None or time.monotonic() - self.written >= _PROGRESS_EVERY_S

    def tell(self, step, total, metrics):
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
        except Exception as e:  # No training is to fail because of a line about it.
            if not self.failed:
                print("tony: the progress is not told: {}".format(e), file=sys.stderr)
            self.failed = True
        self.written = time.monotonic()

    def write_at_exit(self):
        if self.waiting is not None and getattr(sys, "last_type", None) is not None:
            # A program that fails is not to wait for the device on which its tensors are.
            step, total, metrics = self.waiting
            self.waiting = (step, total, {name: v for name, v in metrics.items() if not hasattr(v, "item")})
        self.write()


def _progress_line(step, total, metrics):
    words = ["step {}".format(int(step)) if total is None else "step {}/{}".format(int(step), int(total))]
    for name, value in metrics.items():
        words.append("{}={}".format("_".join(str(name).split()), _text(value)))
    return " ".join(words) + "\n"


def _text(value):
    """Of a number; of one in a tensor or an array, too."""
    value = value.item() if hasattr(value, "item") else value
    return "{:.6g}".format(value) if isinstance(value, float) else " ".join(str(value).split())


_progress = _Progress()
atexit.register(_progress.write_at_exit)


def progress(step, total=None, **metrics):
    """Tells how far the training is: shown while it runs, and kept with the job.

    step: how many steps are done, from the first start on; not of this start alone.
    total: how many there are to be; without it, no percentage is shown.
    metrics: numbers to show beside them, such as loss=0.31. One in a tensor is read only when its line is written.

    A line is written at most once a second, so that this may be called for each step.
    """
    _progress.tell(step, total, metrics)


# ---- Outputs ----


def output(values=None, **more):
    """Hands values to the later steps of the flow, where accuracy=0.93 is ${tony.output.accuracy}.

    values: a dictionary, for names that are no names of Python's. The last value of a name counts.
    Raises ValueError where a name is empty or holds "=" or a line break, or a value holds a line break.
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
    """The Checkpoint that this start goes on from; None where it begins anew. All processes of a task have it."""
    path = os.environ.get("TONY_CHECKPOINT_LATEST")
    return Checkpoint(path, int(os.environ["TONY_CHECKPOINT_STEP"])) if path else None


def keeps_checkpoints():
    """Whether TonY keeps what this process names by checkpoint(): by default, only of the chief."""
    return _file("TONY_CHECKPOINT_FILE") is not None


def checkpoint_folder(otherwise="checkpoints"):
    """A local folder for checkpoints, empty at each start. Outside TonY it is the other one, which is made."""
    folder = os.environ.get("TONY_CHECKPOINT_LOCAL") or otherwise
    os.makedirs(folder, exist_ok=True)
    return folder


def checkpoint(path, step=None):
    """Names a checkpoint that is finished; TonY copies it to the cluster while the program goes on.

    path: of a file or a folder, which is not written to any more. Write each checkpoint to a new name.
    step: of 12 digits at most, and higher than those before; without steps, TonY counts. With it or without it, always.
    Returns whether TonY will keep it: False outside TonY, and in processes that keep none.
    Raises ValueError where the path or step cannot be told, and FileNotFoundError where there is no such path.
    """
    path = os.path.abspath(os.fspath(path))
    if _breaks(path) or path != path.strip() or re.search(r"\sstep=\d+$", path):
        raise ValueError("the checkpoint {!r} needs a path that is a line of its own, without blanks around it".format(path))
    if step is not None and not 0 <= int(step) <= _MOST_STEP:
        raise ValueError("the step of the checkpoint {} is {}; it is from 0 to {}".format(path, step, _MOST_STEP))
    _asked.answered()  # Also by a process that keeps none: it has done what it could.
    file = _file("TONY_CHECKPOINT_FILE")
    if file is None:
        return False
    if not os.path.exists(path):
        raise FileNotFoundError("there is no checkpoint {}: name it when it is written".format(path))
    _append(file, path + ("\n" if step is None else " step={}\n".format(int(step))))
    return True


class _Asked:
    """TonY asks by a file, which holds when; it is asked until a checkpoint is named after that."""

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


_asked = _Asked()


def checkpoint_asked():
    """Whether TonY wants a checkpoint soon: before YARN takes a container, or before the gang grows.

    It is True until the next checkpoint() of this process. Where several processes save together, let one ask and
    tell the others: they do not see it in the same step.
    """
    return _asked.is_open()


# ---- Callbacks ----


def _delete(path):
    if os.path.isdir(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            os.remove(path)


class _OwnFiles:
    """What a callback has saved: the newest two stay, and those that TonY may not have taken up yet."""

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
                if _speaks():  # The others of the task have the same folder.
                    _delete(older)


def keras_callback(every_epochs=1):
    """For model.fit(callbacks=[…]): tells progress, and keeps a checkpoint at the end of each epoch, or when asked.

    every_epochs: after how many epochs the model is saved, as a file that keras.models.load_model reads; 0 for never.
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
            # Workers of a strategy of TensorFlow's save together, into folders of their own; one of them is kept.
            cluster = json.loads(os.environ.get("TF_CONFIG", "{}")).get("cluster", {})
            self.together = sum(len(tasks) for tasks in cluster.values()) > 1

        def on_epoch_begin(self, epoch, logs=None):
            self.first_epoch = epoch if self.first_epoch is None else self.first_epoch
            self.before = self.done

        def on_train_batch_end(self, batch, logs=None):
            self.done = self.before + batch + 1
            _progress.tell(self.done, self._total(), dict(logs or {}))
            if every_epochs and keeps_checkpoints() and not self.together and checkpoint_asked():
                self._save()

        def on_epoch_end(self, epoch, logs=None):
            _progress.tell(self.done, self._total(), dict(logs or {}))
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
    """For Trainer(callbacks=[…]): tells progress, and keeps a checkpoint at the end of each epoch.

    every_epochs: after how many epochs the trainer saves, as a file that trainer.fit(ckpt_path=…) reads; 0 for never.
    A single process saves when it is asked for a checkpoint, too.
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
                self._tell(trainer)
            if every_epochs and trainer.world_size == 1 and checkpoint_asked():
                self._save(trainer)

        def on_train_epoch_end(self, trainer, pl_module):
            self._tell(trainer)
            if every_epochs and (trainer.current_epoch + 1) % every_epochs == 0:
                self._save(trainer)

        def _tell(self, trainer):
            _progress.tell(trainer.global_step, self.total, dict(trainer.callback_metrics))

        def _save(self, trainer):
            if "TONY_CHECKPOINT_LOCAL" not in os.environ:
                return
            path = os.path.join(checkpoint_folder(), "step-{}.ckpt".format(trainer.global_step))
            if path in self.saved:
                return
            trainer.save_checkpoint(path)  # By all ranks; rank 0 writes it.
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
    """For Trainer(callbacks=[…]): tells progress, names each checkpoint that the trainer saves, and has it save when asked.

    When and where it saves is the trainer's: save_steps, and output_dir=tony.checkpoint_folder(). To go on:
    trainer.train(resume_from_checkpoint=start.path if start else None).
    """
    import transformers

    class TonyCallback(transformers.TrainerCallback):
        def __init__(self):
            self.metrics = {}  # the last of each: they are not all logged together
            self.warned = False

        def on_log(self, args, state, control, logs=None, **kwargs):
            for name, value in (logs or {}).items():
                if isinstance(value, (int, float)) and not name.startswith(("train_", "total_")):
                    self.metrics[name] = value
            self._tell(state)

        def on_step_end(self, args, state, control, **kwargs):
            self._tell(state)
            # Several processes would have to save together, and do not see it in the same step.
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
                    "tony: no checkpoint is kept: rank 0 saves them, which is in another task; set save_on_each_node=True",
                    file=sys.stderr,
                )

        def _tell(self, state):
            if state.max_steps > 0:  # else it only evaluates
                _progress.tell(state.global_step, state.max_steps, dict(self.metrics))

    return TonyCallback()
