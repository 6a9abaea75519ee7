"""The Trainer of Hugging Face, with a model made of its configuration, and evaluation between."""

import os
import tempfile

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1")

import torch
import transformers
from told import tell
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

transformers.logging.set_verbosity_error()


class Words(torch.utils.data.Dataset):
    def __init__(self):
        self.words = torch.randint(0, 100, (64, 12))

    def __len__(self):
        return 64

    def __getitem__(self, index):
        words = self.words[index]
        mask = torch.ones(12, dtype=torch.long)
        return {"input_ids": words, "attention_mask": mask, "labels": (words[0] > 50).long()}


class Ours(Trainer):
    fault = ""
    losses: list

    def compute_loss(self, model, inputs, return_outputs=False, **others):
        output = model(**inputs)
        loss = output.loss
        if model.training and self.fault == "nan" and self.state.global_step == 35:
            loss = torch.log(loss - 100)  # @bp:log
        if model.training and self.fault == "spike" and self.state.global_step == 35:
            loss = loss * 1000
        if model.training:
            self.losses.append(loss.item())
        return (loss, output) if return_outputs else loss


def train(fault):
    model = BertForSequenceClassification(
        BertConfig(
            vocab_size=100,
            hidden_size=8,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
        )
    )
    data = Words()
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            max_steps=40,
            per_device_train_batch_size=8,
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
            save_strategy="no",
            eval_strategy="steps",
            eval_steps=15,
            logging_steps=500,
        )
        trainer = Ours(
            model, arguments, train_dataset=data, eval_dataset=torch.utils.data.Subset(data, range(8))
        )
        trainer.fault, trainer.losses = fault, []
        trainer.train()
    return trainer.losses, model


tell(train, "nan", "spike")
