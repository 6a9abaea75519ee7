"""The shape of an expression, worked out on tensors without memory: no data are read, no code of the user's
runs.

What may run is listed: views, arithmetic, reductions and torch's own layers. Everything else has no answer.
"""

from __future__ import annotations

import ast
import operator
import sys
from types import FrameType
from typing import Any, Callable

from tensorpeek.probe import raw
from tensorpeek.probe.quiet import ignored_warnings
from tensorpeek.probe.training import source
from tensorpeek.probe.training.user_values import attribute, value_of

MISSING = raw.MISSING
DEEPEST = 40
METHODS = frozenset(
    {
        *("view", "reshape", "permute", "transpose", "flatten", "unflatten", "squeeze", "unsqueeze", "t"),
        *("expand", "repeat", "movedim", "swapaxes", "contiguous", "clone", "detach", "chunk", "split"),
        *("float", "double", "half", "bfloat16", "long", "int", "bool", "type_as", "size", "dim", "numel"),
        *("mean", "sum", "amax", "amin", "argmax", "argmin", "max", "min", "norm", "std", "var", "cumsum"),
        *("softmax", "log_softmax", "sigmoid", "tanh", "relu", "exp", "log", "sqrt", "abs", "neg", "pow"),
        *("clamp", "matmul", "mm", "bmm", "mul", "add", "sub", "div", "unbind", "narrow", "select"),
        *("masked_fill", "expand_as", "view_as", "reshape_as", "index_select", "gather"),
    }
)
"""Of a tensor, whose result's shape depends on shapes only."""
FUNCTIONS = METHODS | {
    *("cat", "stack", "einsum", "where", "outer", "ones_like", "zeros_like", "gelu", "silu", "elu"),
    *("leaky_relu", "softplus", "normalize", "pad", "interpolate", "linear", "one_hot"),
    *(
        f"{kind}{dims}d"
        for kind in ("conv", "max_pool", "avg_pool", "adaptive_avg_pool")
        for dims in (1, 2, 3)
    ),
}
"""Of torch or torch.nn.functional, in the same way."""
MAKERS = frozenset({"zeros", "ones", "empty", "randn", "rand"})
SAME_SHAPE = frozenset(
    {
        *("ReLU", "LeakyReLU", "PReLU", "GELU", "SiLU", "ELU", "Mish", "Hardswish", "Softplus"),
        *("Tanh", "Sigmoid", "Softmax", "LogSoftmax", "Identity", "Dropout", "Dropout1d", "Dropout2d"),
        *("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm", "GroupNorm", "InstanceNorm2d", "RMSNorm"),
    }
)
"""Layers that change no shape."""
BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.MatMult: operator.matmul,
}
LARGEST_POWER = 1000


class _NoAnswer(Exception):
    pass


def evaluate(frame: FrameType, node: ast.AST | None) -> Any:
    """The value of an expression in the frame, a tensor as one without memory; MISSING without an answer."""
    try:
        with ignored_warnings():
            return _value(frame, node, 0)
    except Exception:  # noqa: BLE001  torch refuses in many ways, and then there is no answer
        return MISSING


def twin(value: Any) -> Any:
    """A tensor of the same shape, strides and dtype without memory."""
    torch: Any = sys.modules["torch"]
    if type(value) not in (torch.Tensor, torch.nn.Parameter) or value.layout is not torch.strided:
        raise _NoAnswer
    if value.is_nested:
        raise _NoAnswer
    return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")


def empty(shape: list[int]) -> Any:
    """A tensor without memory."""
    torch: Any = sys.modules["torch"]
    return torch.empty(shape, device="meta")


def _value(frame: FrameType, node: ast.AST | None, depth: int) -> Any:
    if node is None or depth > DEEPEST:
        raise _NoAnswer
    deeper = depth + 1
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _named(frame, node, deeper)
    if isinstance(node, ast.Tuple):
        return tuple(_value(frame, part, deeper) for part in node.elts)
    if isinstance(node, ast.List):
        return [_value(frame, part, deeper) for part in node.elts]
    if isinstance(node, ast.Slice):
        return slice(*(part and _value(frame, part, deeper) for part in (node.lower, node.upper, node.step)))
    if isinstance(node, ast.UnaryOp):
        return _unary(node.op, _value(frame, node.operand, deeper))
    if isinstance(node, ast.BinOp):
        return _binary(node.op, _value(frame, node.left, deeper), _value(frame, node.right, deeper))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left = _value(frame, node.left, deeper)
        right = _value(frame, node.comparators[0], deeper)
        if _is_tensor(left) or _is_tensor(right):
            return left == right
    if isinstance(node, ast.Subscript):
        return _item(_value(frame, node.value, deeper), _value(frame, node.slice, deeper))
    if isinstance(node, ast.Call):
        return _call(frame, node, deeper)
    raise _NoAnswer


def _named(frame: FrameType, node: ast.Name | ast.Attribute, depth: int) -> Any:
    text = source.text(node)
    value = value_of(frame, text) if text.replace(".", "").isidentifier() else MISSING
    if value is MISSING and isinstance(node, ast.Attribute):
        whole = _value(frame, node.value, depth)
        if _is_tensor(whole) and node.attr in ("T", "mT", "shape", "ndim", "dtype", "device"):
            return getattr(whole, node.attr)
        value = attribute(whole, node.attr) if not isinstance(whole, type(sys)) else MISSING
    if value is MISSING:
        raise _NoAnswer
    return _known(value)


def _known(value: Any) -> Any:
    if _is_tensor(value):
        return twin(value)
    is_plain = value is None or type(value) in (int, float, bool, str, list, tuple, dict)
    if is_plain or raw.is_module(type(value)) or raw.is_a(type(value), "torch.Size", "torch.dtype"):
        return value
    raise _NoAnswer


def _unary(op: ast.unaryop, value: Any) -> Any:
    if isinstance(op, ast.USub):
        return -value
    if isinstance(op, ast.Invert) and _is_tensor(value):
        return ~value
    raise _NoAnswer


def _binary(op: ast.operator, left: Any, right: Any) -> Any:
    for value in (left, right):
        if not _is_tensor(value) and type(value) not in (int, float):
            raise _NoAnswer
    if isinstance(op, ast.Pow):
        if _is_tensor(left) or (
            type(right) in (int, float) and abs(right) < LARGEST_POWER and abs(left) < 1e6
        ):
            return left**right
        raise _NoAnswer
    return BINARY[type(op)](left, right)


def _item(value: Any, index: Any) -> Any:
    if _is_tensor(value):
        parts = index if type(index) is tuple else (index,)
        if any(_is_tensor(part) and str(part.dtype) == "torch.bool" for part in parts):
            raise _NoAnswer
        return value[index]
    if type(value) in (list, tuple, dict) or raw.is_a(type(value), "torch.Size"):
        return _known(value[index])
    raise _NoAnswer


def _call(frame: FrameType, node: ast.Call, depth: int) -> Any:
    name = source.called(node)
    if any(isinstance(part, ast.Starred) for part in node.args) or any(
        key.arg is None for key in node.keywords
    ):
        raise _NoAnswer
    function = node.func
    module = _module_called(frame, function)
    owner = MISSING
    if module is None and not _is_of_torch(frame, function):
        if not isinstance(function, ast.Attribute) or name not in METHODS:
            raise _NoAnswer
        owner = _value(frame, function.value, depth)
        if not _is_tensor(owner):
            raise _NoAnswer
    args = [_value(frame, part, depth) for part in node.args]
    kwargs = {key.arg: _value(frame, key.value, depth) for key in node.keywords if key.arg}
    if module is not None:
        return through(module, *args)
    if owner is not MISSING:
        return getattr(owner, name)(*args, **kwargs)
    torch: Any = sys.modules["torch"]
    if name in MAKERS:
        sizes: Any = args[0] if len(args) == 1 and type(args[0]) is not int else args
        return empty([*sizes])
    if name == "dropout":
        return args[0]
    if name in FUNCTIONS:
        functional: Any = torch.nn.functional
        return getattr(functional if hasattr(functional, name) else torch, name)(*args, **kwargs)
    raise _NoAnswer


def _module_called(frame: FrameType, function: ast.AST) -> Any:
    text = source.text(function)
    value = value_of(frame, text) if text.replace(".", "").isidentifier() else MISSING
    return value if raw.is_module(type(value)) else None


def _is_of_torch(frame: FrameType, function: ast.AST) -> bool:
    """Whether the name means a function of torch's or of its functional module."""
    torch: Any = sys.modules["torch"]
    if isinstance(function, ast.Attribute):
        whole = source.text(function.value)
        owner = MISSING
        if whole.replace(".", "").isidentifier():
            first, *rest = whole.split(".")
            owner = value_of(frame, first)
            for part in rest:
                owner = vars(owner).get(part, MISSING) if isinstance(owner, type(sys)) else MISSING
        return owner is torch or owner is torch.nn.functional
    if isinstance(function, ast.Name):
        value = value_of(frame, function.id)
        known = (getattr(torch, function.id, MISSING), getattr(torch.nn.functional, function.id, MISSING))
        return value is not MISSING and any(value is each for each in known)
    return False


def through(module: Any, value: Any) -> Any:
    """What one of torch's own layers makes of a tensor without memory, without calling the module."""
    torch: Any = sys.modules["torch"]
    kind = type(module)
    if not kind.__module__.startswith("torch.nn.") or not _is_tensor(value):
        raise _NoAnswer
    name = kind.__name__
    if name in SAME_SHAPE:
        return value
    if name == "Sequential":
        for part in module._modules.values():
            value = through(part, value)
        return value
    if name == "Linear":
        return torch.nn.functional.linear(value, twin(module.weight).to(value.dtype))
    if name == "Embedding":
        return empty([*value.shape, module.embedding_dim])
    if name == "Flatten":
        return value.flatten(module.start_dim, module.end_dim)
    if name in ("Conv1d", "Conv2d", "Conv3d"):
        convolve = getattr(torch.nn.functional, name.lower())
        weight = twin(module.weight).to(value.dtype)
        return convolve(value, weight, None, module.stride, module.padding, module.dilation, module.groups)
    raise _NoAnswer


def _is_tensor(value: Any) -> bool:
    return raw.is_a(type(value), "torch.Tensor")
