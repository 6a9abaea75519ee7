"""Messages along the edges of graphs, summed where they arrive; one answer for each graph."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Convolution(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.message = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU())
        self.update = nn.GRUCell(width, width)

    def forward(self, nodes: Tensor, edges: Tensor) -> Tensor:
        source, target = edges
        messages = self.message(torch.cat([nodes[source], nodes[target]], dim=-1))
        summed = torch.zeros_like(nodes).index_add_(0, target, messages)
        degree = torch.zeros_like(nodes[:, :1]).scatter_add_(
            0, target[:, None], torch.ones_like(messages[:, :1])
        )
        summed /= degree.clamp(min=1)
        return self.update(summed, nodes)


class GraphNetwork(nn.Module):
    def __init__(self, features: int = 6, width: int = 10, depth: int = 1, classes: int = 4) -> None:
        super().__init__()
        self.embed = nn.Linear(features, width)
        self.layers = nn.ModuleList([Convolution(width) for _ in range(depth)])
        self.classify = nn.Linear(2 * width, classes)

    def forward(self, features: Tensor, edges: Tensor, graph: Tensor, graphs: int) -> Tensor:
        nodes = self.embed(features)
        for layer in self.layers:
            nodes = layer(nodes, edges)
        index = graph.unsqueeze(-1).expand_as(nodes)
        total = nodes.new_zeros(graphs, nodes.size(-1)).scatter_add(0, index, nodes)
        largest = nodes.new_full((graphs, nodes.size(-1)), -1.0).scatter_reduce(0, index, nodes, "amax")
        return self.classify(torch.cat([total, largest], dim=1))


def example(batch: int) -> tuple[GraphNetwork, tuple[Tensor, Tensor, Tensor, int]]:
    """`batch` rings of five nodes."""
    nodes = torch.arange(5 * batch)
    graph = nodes // 5
    edges = torch.stack([nodes, graph * 5 + (nodes + 1) % 5])
    return GraphNetwork(), (torch.randn(len(nodes), 6), edges, graph, batch)
