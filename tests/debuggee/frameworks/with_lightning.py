"""Lightning's loop, with its own evaluation between."""

import logging
import tempfile
import warnings

import pytorch_lightning
import torch
from told import tell
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)


class Model(pytorch_lightning.LightningModule):
    def __init__(self, fault):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
        self.fault = fault
        self.losses = []

    def training_step(self, batch, index):
        x, y = batch
        out = self.net(x)
        if self.fault == "nan" and self.global_step == 45:
            out = torch.sqrt(out - 100)  # @bp:sqrt
        if self.fault == "spike" and self.global_step == 45:
            out = out * 1000
        loss = nn.functional.mse_loss(out, y)
        self.losses.append(loss.item())
        return loss

    def validation_step(self, batch, index):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.net(x), y))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 1e-3)


def train(fault):
    x = torch.randn(320, 8)
    y = x[:, :1] * 0.5 + 0.1 * torch.randn(320, 1)
    data, unseen = TensorDataset(x[:256], y[:256]), TensorDataset(x[256:], y[256:])
    model = Model(fault)
    with tempfile.TemporaryDirectory() as folder:
        trainer = pytorch_lightning.Trainer(
            max_epochs=4,
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            accelerator="cpu",
            default_root_dir=folder,
        )
        trainer.fit(model, DataLoader(data, 16, shuffle=True), DataLoader(unseen, 64))
    return model.losses, model


tell(train, "nan", "spike")
