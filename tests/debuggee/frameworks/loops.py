"""Trainings that are not a loop of forward, backward and step; each is run bare, watched, and with a fault."""

import os
import threading
import warnings

import torch
from told import tell_each
from torch import nn

warnings.filterwarnings("ignore", message="Full backward hook")
warnings.filterwarnings("error", message=".*global hooks")  # of torch.compile, where the bare run has none
FAULTY = 45
STEPS = 50


def data():
    x = torch.randn(STEPS, 16, 8)
    return x, x[..., :1] * 0.5 + 0.1 * torch.randn(STEPS, 16, 1)


def network():
    return nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))


def spoiled(out, fault, step):
    return torch.sqrt(out - 100) if fault and step == FAULTY else out  # @bp:sqrt


def lbfgs(fault):
    (x, y), model, losses = data(), network(), []
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=3)
    for step in range(STEPS):

        def closure(step=step):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(spoiled(model(x[0]), fault, step), y[0])
            loss.backward()
            return loss

        losses.append(optimizer.step(closure).item())
    return losses, model


def gan(fault):
    generator, critic, losses = nn.Linear(4, 8), network(), []
    for_generator = torch.optim.Adam(generator.parameters(), 1e-3)
    for_critic = torch.optim.Adam(critic.parameters(), 1e-3)
    judge = nn.BCEWithLogitsLoss()
    ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
    for step in range(STEPS):
        fake = generator(torch.randn(16, 4))
        c_loss = judge(critic(torch.randn(16, 8)), ones) + judge(critic(fake.detach()), zeros)
        for_critic.zero_grad()
        c_loss.backward()
        for_critic.step()
        g_loss = judge(spoiled(critic(fake), fault, step), ones)
        for_generator.zero_grad()
        g_loss.backward()
        for_generator.step()
        losses += [c_loss.item(), g_loss.item()]
    return losses, nn.ModuleList([generator, critic])


def gradients_only(fault):
    (x, y), model, losses = data(), network(), []
    for step in range(STEPS):
        loss = nn.functional.mse_loss(model(x[step]), y[step])
        gradients = torch.autograd.grad(loss, list(model.parameters()))
        with torch.no_grad():
            for weight, gradient in zip(model.parameters(), gradients):
                weight -= 0.05 * gradient
        losses.append(loss.item())
    return losses, model


def loop(model, called, fault, parameters=None):
    (x, y), losses = data(), []
    optimizer = torch.optim.SGD(parameters or model.parameters(), 0.05)
    for step in range(STEPS):
        loss = nn.functional.mse_loss(spoiled(called(x[step]), fault, step), y[step])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, model


def functorch(fault):
    (x, y), model, losses = data(), network(), []
    weights = {name: weight.detach().clone() for name, weight in model.named_parameters()}

    def loss_of(weights, x, y):
        return nn.functional.mse_loss(torch.func.functional_call(model, weights, (x,)), y)

    each = torch.vmap(torch.func.grad_and_value(loss_of), (None, 0, 0))
    for step in range(STEPS):
        gradients, values = each(weights, x[step], y[step])
        weights = {name: weight - 0.05 * gradients[name].mean(0) for name, weight in weights.items()}
        losses.append(values.mean().item())
    model.load_state_dict(weights)
    return losses, model


def threads(fault):
    models, results = [network() for _ in range(2)], [[], []]
    x, y = data()
    together = threading.Barrier(len(models))

    def work(index):
        optimizer = torch.optim.SGD(models[index].parameters(), 0.05)
        for step in range(STEPS):
            together.wait()
            loss = nn.functional.mse_loss(models[index](x[step]), y[step])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            results[index].append(loss.item())

    workers = [threading.Thread(target=work, args=(index,)) for index in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return results[0] + results[1], nn.ModuleList(models)


def raising_hook(fault):
    model = network()

    def refuse(module, args, output):
        if calls.append(1) or len(calls) % 7 == 3:
            raise ValueError("of the user's hook")

    calls = []
    handle = model[0].register_forward_hook(refuse)

    def called(x):
        try:
            return model(x)
        except ValueError:
            return model(x)

    try:
        return loop(model, called, fault)
    finally:
        handle.remove()


def global_hooks(fault):
    seen = []
    modules = torch.nn.modules.module
    handles = [
        modules.register_module_forward_pre_hook(lambda module, args: seen.append("before")),
        modules.register_module_forward_hook(lambda module, args, output: output * 1.1),
        modules.register_module_full_backward_hook(lambda module, inner, outer: seen.append("backward")),
    ]
    try:
        model = network()
        losses, model = loop(model, model, fault)
    finally:
        for handle in handles:
            handle.remove()
    return [*losses, float(len(seen))], model


def replaced(fault):
    losses = []
    for _ in range(3):
        model = network()
        more, model = loop(model, model, "")
        losses += more
    return losses, model


def forked(fault):
    model = network()

    def called(x):
        if len(calls) % 10 == 0:
            child = os.fork()
            if child == 0:
                model(x)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        calls.append(1)
        return model(x)

    calls = []
    return loop(model, called, fault)


def compiled(fault):
    model = network()
    return loop(model, torch.compile(model, backend="aot_eager"), fault)


tell_each(
    lbfgs,
    gan,
    gradients_only,
    functorch,
    threads,
    raising_hook,
    global_hooks,
    replaced,
    forked,
    compiled,
)
