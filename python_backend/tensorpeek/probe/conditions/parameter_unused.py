"""A parameter that cannot learn: the gradient is cut before it, no optimizer has it, or no module registers
it.
"""

from __future__ import annotations

import threading
import weakref
from types import FrameType
from typing import Any

from tensorpeek.catalogue import conditions
from tensorpeek.probe import raw
from tensorpeek.probe.conditions import unregistered
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.conditions.gradient_cuts import find_cut
from tensorpeek.probe.training import source
from tensorpeek.probe.training.graph import graph_of
from tensorpeek.probe.training.moments import Loss, ModuleCall, Step
from tensorpeek.probe.training.parameters import Trained, trained
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Related, Report
from tensorpeek.probe.training.user_values import locals_of, user_frames

MOST_NAMED = 4
UNEXPLAINED = 20
"""Steps after which a parameter without gradient counts although nothing that cuts it is found."""


class ParameterUnused(Condition):
    info = conditions.PARAMETER_UNUSED
    samples = frozenset({"on_loss", "on_gradients"})

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self._threads: set[int] = set()
        """That train: with several, one may not have come to its optimizer yet."""
        self._looks: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        """Steps of each optimizer that were looked at."""
        self._silent: dict[int, weakref.ref[Any]] = {}
        """Parameters of optimizers that never had a gradient."""
        self._ran: weakref.WeakSet[Any] = weakref.WeakSet()
        """Modules whose forward was seen to run."""
        self._since: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        """The step of each optimizer's first look."""
        self._reported: set[str] = set()

    def on_module(self, call: ModuleCall) -> None:
        self._ran.add(call.module)

    def on_loss(self, loss: Loss) -> Report | None:
        """Leaves of the graph that get a gradient and that nobody will use."""
        self._threads.add(threading.get_ident())
        roots = loss.training.models.roots()
        known = {id(parameter) for root in roots for parameter in root.parameters()}
        known |= _held(loss.training.optimizers)
        known.update(_held_in_frames(loss.frame))
        leaves = [leaf for leaf in graph_of(loss).leaves() if id(leaf) not in known]
        if not leaves or not loss.training.optimizers:
            return None
        for found in unregistered.owners(roots, leaves):
            if found.key not in self._reported:
                self._reported.add(found.key)
                return unregistered.report(loss, found)
        return None

    def on_gradients(self, step: Step) -> Report | None:
        self._threads.add(threading.get_ident())
        looks = self._looks[step.optimizer] = self._looks.get(step.optimizer, 0) + 1
        since = self._since.setdefault(step.optimizer, step.number)
        own = trained(step)
        silent = [each for each in own if self._never_had_gradient(each, looks)]
        window = int(self.settings["window"])
        is_alone = len(self._threads) == 1
        if (
            is_alone
            and looks >= window
            and step.number - since >= UNEXPLAINED
            and "forgotten" not in self._reported
        ):
            forgotten = self._forgotten(step)
            if forgotten is not None:
                return forgotten
        if looks < window or not silent:
            return None
        stale = self._stale(step, own, silent)
        if stale is not None or len(silent) == len(own):
            # Where nothing of an optimizer has a gradient, its steps do nothing, which is said elsewhere.
            return stale
        return self._cut(step, own, silent, step.number - since + 1)

    def _never_had_gradient(self, each: Trained, looks: int) -> bool:
        key = id(each.parameter)
        if each.parameter.grad is not None or not each.parameter.requires_grad:
            self._silent.pop(key, None)
            return False
        if looks == 1:
            self._silent[key] = weakref.ref(each.parameter)
        known = self._silent.get(key)
        return known is not None and known() is each.parameter

    def _stale(self, step: Step, own: list[Trained], silent: list[Trained]) -> Report | None:
        """The optimizer was built before modules were replaced: it has tensors that belong to no module, and
        modules have parameters with gradients that no optimizer has.
        """
        models = step.training.models
        orphans = [each for each in silent if not models.name_of_parameter(each.parameter)]
        if not orphans or "stale" in self._reported:
            return None
        held = _held([*step.training.optimizers, step.optimizer])
        missing = [
            (models.name_of_parameter(parameter), parameter)
            for root in models.roots()
            for parameter in root.parameters()
            if parameter.requires_grad and parameter.grad is not None and id(parameter) not in held
        ]
        if not missing:
            return None
        self._reported.add("stale")
        names = _named([name for name, _ in missing])
        place = _replacement(step, missing[0][0])
        at = f" The module was replaced at line {place.line}, after the optimizer was built." if place else ""
        kind = type(step.optimizer).__name__
        return Report(
            "Parameter in no optimizer",
            f"{names} get a gradient in every step, but no optimizer has them. {kind} holds {len(orphans)} "
            f"parameters that belong to no module and never get a gradient.{at}",
            place=place or _constructor(step),
            module=missing[0][0].rpartition(".")[0],
            value=float(len(missing)),
            evidence=[f"{name} {list(parameter.shape)}: in no optimizer" for name, parameter in missing[:10]]
            + [f"{kind}: {list(each.parameter.shape)} of no module" for each in orphans[:10]],
            next=["Build the optimizer after the model has its last form, or add_param_group the new ones."],
        )

    def _forgotten(self, step: Step) -> Report | None:
        """A whole model before the trained ones that gets gradients, and that no optimizer has. It may be
        meant to be frozen, so that this is no reason to stop.
        """
        held = _held(step.training.optimizers) | _held([step.optimizer]) | _held_in_frames(step.frame)
        for root in step.training.models.roots():
            parameters = list(root.parameters())
            if any(id(parameter) in held for parameter in parameters):
                return None
            if parameters and all(each.requires_grad and each.grad is not None for each in parameters):
                self._reported.add("forgotten")
                name = _name_in_frames(step, root) or type(root).__name__
                return Report(
                    "Model in no optimizer",
                    f"All {len(parameters)} parameters of `{name}` get a gradient in every step, but no "
                    "optimizer has them: it stays as it was initialized or loaded.",
                    place=_constructor(step),
                    value=float(len(parameters)),
                    evidence=[f"{name}: {len(parameters)} parameters, none of them in an optimizer"],
                    next=[
                        "Give its parameters to the optimizer, or call requires_grad_(False) on it if it is "
                        "meant to be frozen: that also saves the time and memory of its gradients."
                    ],
                    related=_built(step),
                    is_warning=True,
                )
        return None

    def _cut(self, step: Step, own: list[Trained], silent: list[Trained], steps: int) -> Report | None:
        """Parameters whose module ran, but that the gradient does not reach."""
        owners = _owners(step.training.models.roots())
        ran = [
            (each, owners[id(each.parameter)])
            for each in silent
            if id(each.parameter) in owners
            and owners[id(each.parameter)][0] in self._ran
            and each.name not in self._reported
        ]
        if not ran:
            return None
        cut = find_cut(step, [module for _, (module, _, _) in ran])
        if cut is not None and cut.is_conditional:
            return None
        if cut is None:
            # A library's model may have parts that this use of it does not need.
            ran = [(each, owner) for each, owner in ran if source.is_users_class(type(owner[1])) or owner[2]]
            if steps < UNEXPLAINED or not ran:
                return None
        self._reported.update(each.name for each, _ in ran)
        names = _named([each.name for each, _ in ran])
        how = f" The graph is cut by {cut.what} at line {cut.place.line}." if cut is not None else ""
        module = step.training.models.module_path(ran[0][1][0])
        others = len(own) - len(ran)
        return Report(
            "Parameter without gradient",
            f"{names} got no gradient in {steps} steps although they require one, their module runs and "
            f"{type(step.optimizer).__name__} has them.{how}",
            place=cut.place if cut is not None else None,
            module=module,
            value=float(len(ran)),
            evidence=[f"{each.name} {list(each.parameter.shape)}: grad is None" for each, _ in ran[:20]]
            + [f"{others} other parameters of the optimizer get gradients or are frozen"],
            next=[cut.advice]
            if cut is not None
            else ["Look for detach(), .data, .item(), numpy() or no_grad() between the module and the loss."],
        )


def _held(optimizers: list[Any]) -> set[int]:
    return {
        id(parameter)
        for optimizer in optimizers
        for group in optimizer.param_groups
        for parameter in group["params"]
    }


def _held_in_frames(frame: FrameType | None) -> set[int]:
    """What optimizers have that the frames name, and that may not have taken a step yet."""
    found = [
        value
        for each in user_frames(frame)
        for value in locals_of(each).values()
        if raw.is_optimizer(type(value))
    ]
    return _held(found)


def _name_in_frames(step: Step, root: Any) -> str:
    for frame in user_frames(step.frame):
        for name, value in locals_of(frame).items():
            if value is root:
                return name
    return ""


def _owners(roots: list[Any]) -> dict[int, tuple[Any, Any, bool]]:
    """Of each parameter: its module, the nearest module around it that is not one of torch's own layers, and
    whether its whole root is without any gradient.
    """
    found: dict[int, tuple[Any, Any, bool]] = {}
    for root in roots:
        is_mute = all(parameter.grad is None for parameter in root.parameters())
        waiting: list[tuple[Any, Any]] = [(root, root)]
        while waiting:
            module, around = waiting.pop()
            around = around if type(module).__module__.startswith("torch.nn.") else module
            for parameter in module._parameters.values():
                if parameter is not None:
                    found[id(parameter)] = (module, around, is_mute)
            waiting.extend((child, around) for child in module._modules.values() if child is not None)
    return found


def _named(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:MOST_NAMED])
    return shown + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")


def _replacement(step: Step, name: str) -> Place | None:
    """The line that assigns one of the modules on the way to a parameter from outside: `net.head = …`."""
    words = name.split(".")[:-1]
    for frame in user_frames(step.frame):
        for node in source.own_nodes(source.body_of(frame.f_code)):
            for target in source.targets(node):
                attribute = source.text(target).rpartition(".")
                if attribute[0] and attribute[0] != "self" and attribute[2] in words:
                    return Place(frame.f_code.co_filename, getattr(node, "lineno", 0), frame.f_code.co_name)
    return None


def _built(step: Step) -> list[Related]:
    """The lines that build optimizers of the classes in use."""
    kinds = {type(each).__name__ for each in [*step.training.optimizers, step.optimizer]}
    return [
        Related(Place(path, call.lineno), "an optimizer is built here")
        for path in source.user_files(step.frame, [])
        for call in source.calls(path, *kinds)
    ][:4]


def _constructor(step: Step) -> Place | None:
    """Where the optimizer was built, if the user's files build one of its class at one place only."""
    places = [
        Place(path, call.lineno)
        for path in source.user_files(step.frame, [])
        for call in source.calls(path, type(step.optimizer).__name__)
    ]
    return places[0] if len(places) == 1 else None
