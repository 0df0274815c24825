package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import io.tony.testing.FlowFolder;
import java.util.List;
import java.util.Map;
import org.junit.BeforeClass;
import org.junit.Test;

/**
 * The callbacks of the module {@code tony}, in the real libraries: the first start ends in the
 * middle, and the second goes on from what the callback has named.
 */
public class FrameworkCallbacksIT extends ClusterFlowTest {

  /** Not within a test's time limit: the first run on a machine takes minutes. */
  @BeforeClass
  public static void makeEnvironments() throws Exception {
    FrameworkEnvironments.require("callbacks");
    for (String framework : List.of("pytorch", "tensorflow")) {
      FrameworkEnvironments.python(framework);
    }
  }

  private void train(String framework, int workers, String program) throws Exception {
    FlowFolder files =
        files()
            .job(
                "train",
                tony(
                    "src_dir=src",
                    "executes=train.py",
                    "python_binary_path=" + FrameworkEnvironments.python(framework),
                    "tony.application.framework=" + framework,
                    "tony.gang.max-restarts=1",
                    "tony.worker.instances=" + workers,
                    "tony.worker.memory=1500m"))
            .file("src/train.py", program);

    FlowResult result = start(files.folder()).await();

    assertEquals(log("train"), Status.SUCCEEDED, result.status());
    Map<String, String> outputs = result.job("train").outputProperties();
    assertEquals("20", outputs.get("tony.output.first_step"));
    assertEquals("40", outputs.get("tony.output.steps"));
    assertLogged("train", "the first start ends here");
    assertLogged("train", "resumes from step 20");
    List<String> progress =
        events.told("train").stream()
            .filter(event -> event.type().equals("TASK_PROGRESS"))
            .map(event -> event.detail("text"))
            .toList();
    assertTrue(
        progress.toString(),
        progress.stream().anyMatch(line -> line.matches("step 40/40 .*loss=[0-9.]+.*")));
    assertEquals("one application", 1, applicationIds("train").size());
  }

  /** Two workers, each a node of Lightning's. */
  @Test
  public void shouldKeepWhatLightningTrains() throws Exception {
    train(
        "pytorch",
        2,
        """
        import os
        import sys

        import pytorch_lightning as lightning
        import torch

        import tony


        class Network(lightning.LightningModule):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(8, 2)

            def training_step(self, batch, index):
                points, labels = batch
                loss = torch.nn.functional.cross_entropy(self.layer(points), labels)
                self.log("loss", loss)
                return loss

            def configure_optimizers(self):
                return torch.optim.SGD(self.parameters(), lr=0.1)


        points = torch.randn(640, 8)
        data = torch.utils.data.TensorDataset(points, (points[:, 0] > 0).long())
        start = tony.resume()
        trainer = lightning.Trainer(
            max_epochs=4 if start else 2,
            accelerator="cpu",
            devices=1,
            num_nodes=int(os.environ["WORLD_SIZE"]),
            strategy="ddp",
            callbacks=[tony.lightning_callback()],
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
        )
        trainer.fit(
            Network(), torch.utils.data.DataLoader(data, batch_size=32), ckpt_path=start.path if start else None
        )
        assert trainer.world_size == 2 and trainer.global_rank == int(os.environ["RANK"])
        if not start:
            trainer.strategy.barrier()
            sys.exit("the first start ends here")
        if trainer.is_global_zero:
            tony.output(first_step=start.step, steps=trainer.global_step)
        """);
  }

  @Test
  public void shouldKeepWhatTransformersTrains() throws Exception {
    train(
        "pytorch",
        1,
        """
        import sys

        import torch
        import transformers

        import tony

        config = transformers.BertConfig(
            vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
        )


        class Words(torch.utils.data.Dataset):
            def __len__(self):
                return 64

            def __getitem__(self, i):
                return {"input_ids": torch.full((8,), i % 2 + 3), "labels": torch.tensor(i % 2)}


        start = tony.resume()
        trainer = transformers.Trainer(
            model=transformers.BertForSequenceClassification(config),
            args=transformers.TrainingArguments(
                output_dir=tony.checkpoint_folder(),
                max_steps=40 if start else 20,
                save_steps=10,
                logging_steps=5,
                report_to=[],
                use_cpu=True,
            ),
            train_dataset=Words(),
            callbacks=[tony.transformers_callback()],
        )
        trainer.train(resume_from_checkpoint=start.path if start else None)
        if not start:
            sys.exit("the first start ends here")
        tony.output(first_step=start.step, steps=trainer.state.global_step)
        """);
  }

  @Test
  public void shouldKeepWhatKerasTrains() throws Exception {
    train(
        "tensorflow",
        1,
        """
        import sys

        import keras
        import numpy as np

        import tony

        points = np.random.default_rng(0).normal(size=(320, 8)).astype("float32")
        labels = (points[:, 0] > 0).astype("int64")
        start = tony.resume()
        if start:
            model = keras.models.load_model(start.path)
        else:
            model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(2)])
            model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        model.fit(
            points,
            labels,
            batch_size=32,
            epochs=4 if start else 2,
            initial_epoch=start.step // 10 if start else 0,
            verbose=0,
            callbacks=[tony.keras_callback()],
        )
        if not start:
            sys.exit("the first start ends here")
        tony.output(first_step=start.step, steps=int(model.optimizer.iterations))
        """);
  }
}
