"""Inverse dynamics of a Parquet data set of states with Ray Data, on one machine or a cluster.

    pip install "ray[data]"
    python ray_batches.py STATES.parquet TORQUES [--robot humanoid] [--workers 4]

STATES has a row for each state: `key`, and lists of numbers `q`, `v` and `a`. TORQUES becomes a
folder of Parquet files with `key` and `tau`, in any order of rows.
"""

import argparse
from typing import Any

import numpy as np
import ray

import featherline as fl


class InverseDynamics:
    """A worker: it loads the robot once, then turns batches of states into torques."""

    def __init__(self, robot: str) -> None:
        self.model = fl.load(robot)

    def __call__(self, states: dict[str, np.ndarray[Any, Any]]) -> dict[str, np.ndarray[Any, Any]]:
        q, v, a = (np.stack(list(states[name])) for name in "qva")
        return {"key": states["key"], "tau": self.model.rnea(q, v, a)}


def inverse_dynamics(states: str, torques: str, robot: str, workers: int) -> None:
    # Ray starts a worker that died again, and repeats the batch that it had.
    (
        ray.data.read_parquet(states)
        .map_batches(
            InverseDynamics,
            fn_constructor_args=(robot,),
            compute=ray.data.ActorPoolStrategy(size=workers),
            num_cpus=0.25,
            batch_size=1024,
        )
        .write_parquet(torques)
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="inverse dynamics with Ray Data")
    parser.add_argument("states")
    parser.add_argument("torques")
    parser.add_argument("--robot", default="humanoid")
    parser.add_argument("--workers", type=int, default=4)
    arguments = parser.parse_args()
    inverse_dynamics(arguments.states, arguments.torques, arguments.robot, arguments.workers)
