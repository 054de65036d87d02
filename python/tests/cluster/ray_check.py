"""Runs the example with Ray on a local cluster: one worker, four workers, and four of which one is
killed write the same rows, which are those of one call without Ray."""

import os
import pathlib
import signal
import sys
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import ray

import featherline as fl

EXAMPLES = str(pathlib.Path(__file__).parents[2] / "examples")
sys.path.insert(0, EXAMPLES)
import ray_batches

STATES = 20_000
ROBOT = "humanoid"


class Mortal(ray_batches.InverseDynamics):
    """A worker whose process is killed at its third batch, once in a run."""

    def __init__(self, robot, mark):
        super().__init__(robot)
        self.mark, self.batches = pathlib.Path(mark), 0

    def __call__(self, states):
        self.batches += 1
        if self.batches == 3:
            try:
                self.mark.touch(exist_ok=False)
                os.kill(os.getpid(), signal.SIGKILL)
            except FileExistsError:
                pass
        return super().__call__(states)


def rows(folder):
    table = pq.read_table(folder).sort_by("key")
    return table["key"].to_numpy(), np.stack(table["tau"].to_numpy(zero_copy_only=False))


def main(folder):
    model = fl.load(ROBOT)
    q = model.random_configuration(seed=1, states=STATES)
    generator = np.random.default_rng(1)
    v, a = generator.normal(size=(2, STATES, model.nv))
    columns = {"key": np.arange(STATES), "q": list(q), "v": list(v), "a": list(a)}
    states = folder / "states.parquet"
    pq.write_table(pa.table(columns), states, row_group_size=2000)
    expected = model.rnea(q, v, a)

    for workers in (1, 4):
        ray_batches.inverse_dynamics(str(states), str(folder / f"torques{workers}"), ROBOT, workers)
    mark = folder / "killed"
    ray.data.read_parquet(str(states)).map_batches(
        Mortal,
        fn_constructor_args=(ROBOT, str(mark)),
        compute=ray.data.ActorPoolStrategy(size=4),
        num_cpus=0.25,
        batch_size=1024,
    ).write_parquet(str(folder / "killed_torques"))
    assert mark.exists(), "no worker was killed"

    for name in ("torques1", "torques4", "killed_torques"):
        key, tau = rows(folder / name)
        assert np.array_equal(key, np.arange(STATES)), name
        assert tau.tobytes() == expected.tobytes(), name
        print(f"{name}: {STATES} rows, the same bytes as one call without Ray")


if __name__ == "__main__":
    path = os.pathsep.join([EXAMPLES, *filter(None, [os.environ.get("PYTHONPATH")])])
    ray.init(runtime_env={"env_vars": {"PYTHONPATH": path}}, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    with tempfile.TemporaryDirectory() as name:
        main(pathlib.Path(name))
