"""Teaches a small Llama to count on, with Hugging Face's Trainer."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

import tony

WORDS, LENGTH = 32, 12


class Counting(torch.utils.data.Dataset):
    """Sequences such as 3 5 7 9 … of numbers modulo 32; those from `first` on."""

    def __init__(self, first, count):
        self.first, self.count = first, count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        begin, step = divmod(self.first + i * 7, 4)
        tokens = (begin + (step + 1) * torch.arange(LENGTH)) % WORDS
        return {"input_ids": tokens, "labels": tokens}


config = LlamaConfig(
    vocab_size=WORDS, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2
)
trainer = Trainer(
    model=LlamaForCausalLM(config),
    args=TrainingArguments(
        output_dir=tony.checkpoint_folder(),
        max_steps=60,
        per_device_train_batch_size=32,
        learning_rate=0.005,
        logging_steps=20,
        save_steps=20,
        save_total_limit=2,
        ddp_find_unused_parameters=False,
        use_cpu=not torch.cuda.is_available(),
        disable_tqdm=True,
        report_to="none",
    ),
    train_dataset=Counting(0, 960),
    eval_dataset=Counting(3, 64),
    callbacks=[tony.transformers_callback()],  # progress, and each checkpoint that the trainer saves
)
start = tony.resume()  # None in the first start
trainer.train(resume_from_checkpoint=start.path if start else None)

loss = trainer.evaluate()["eval_loss"]
assert trainer.args.world_size > 1 and loss < 1.5, f"{trainer.args.world_size} processes, loss {loss}"
if trainer.is_world_process_zero():
    print(f"loss {loss:.3f} after {trainer.state.global_step} steps of {trainer.args.world_size} processes")
    tony.output(loss=round(loss, 3), world=trainer.args.world_size)
