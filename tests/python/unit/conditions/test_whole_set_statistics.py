"""Statistics of a whole that is split afterwards are read off the text, and only those."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorpeek.probe.conditions.whole_set_statistics import scaled_before_split

LEAKS = {
    "two slices": """
x = (x - x.mean(0)) / x.std(0)
x_train, x_test = x[:80], x[80:]
""",
    "an alias": """
stat = series
z = (series - stat.mean()) / stat.std()
train, test = z[:300], z[300:]
""",
    "names for the statistics": """
lo, hi = data.min(axis=0), data.max(axis=0)
scaled = (data - lo) / (hi - lo)
train_data = scaled[:split]
test_data = scaled[split:]
""",
    "with an epsilon": """
mean, std = x.mean(dim=0, keepdim=True), x.std(dim=0, keepdim=True)
x = (x - mean) / (std + 1e-8)
train_set, val_set = random_split(TensorDataset(x, y), [80, 20])
""",
    "a scaler": """
x = scaler.fit_transform(x)
x_train, x_test, y_train, y_test = train_test_split(x, y)
""",
    "a data set in between": """
x = (x - np.mean(x, axis=0)) / np.std(x, axis=0)
dataset = TensorDataset(x, y)
train_ds, val_ds = random_split(dataset, [80, 20])
""",
    "in a function": """
def load():
    x = (x - x.mean(0)) / x.std(0)
    train, valid = x[:80], x[80:]
    return train, valid
""",
}
SOUND = {
    "statistics of a part": """
stat = series[:300]
z = (series - stat.mean()) / stat.std()
train, test = z[:300], z[300:]
""",
    "of each sample": """
x = (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True)
x_train, x_test = x[:80], x[80:]
""",
    "of each image": """
x = (x - x.mean((2, 3))) / x.std((2, 3))
x_train, x_test = x[:80], x[80:]
""",
    "split first": """
x_train, x_test = x[:80], x[80:]
mean, std = x_train.mean(0), x_train.std(0)
x_train, x_test = (x_train - mean) / std, (x_test - mean) / std
""",
    "of a slice with names": """
lo, hi = data[:split].min(axis=0), data[:split].max(axis=0)
scaled = (data - lo) / (hi - lo)
train_data = scaled[:split]
test_data = scaled[split:]
""",
    "fitted on a part": """
scaler.fit(x[:80])
x = scaler.transform(x)
x_train, x_test = x[:80], x[80:]
""",
    "known constants": """
x = (x - 0.5) / 0.25
x_train, x_test = x[:80], x[80:]
""",
    "not split": """
x = (x - x.mean(0)) / x.std(0)
first, second = x[:80], x[80:]
""",
    "the name is another thing by then": """
x = (x - x.mean(0)) / x.std(0)
x = load_again()
x_train, x_test = x[:80], x[80:]
""",
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_is_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / "program.py"
    path.write_text(LEAKS[name])
    found = scaled_before_split(str(path))
    assert found is not None
    lines = LEAKS[name].splitlines()
    assert any(word in lines[found.scaled.line - 1] for word in ("mean", "min", "fit"))
    assert "train" in lines[found.split.line - 1]


@pytest.mark.parametrize("name", SOUND)
def test_what_is_sound_is_not(tmp_path: Path, name: str) -> None:
    path = tmp_path / "program.py"
    path.write_text(SOUND[name])
    assert scaled_before_split(str(path)) is None
