"""The environments of Gymnasium."""

import doctest
import subprocess
import sys

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

import featherline.gym  # noqa: E402

IDS = ["featherline/QuadrupedStand-v0", "featherline/QuadrupedWalk-v0"]


@pytest.mark.parametrize("name", IDS)
@pytest.mark.filterwarnings("ignore:.*A Box observation space (maximum|minimum) value")
def test_the_checker_finds_nothing(name):
    check_env(gymnasium.make(name).unwrapped, skip_render_check=True)


def test_seeds_repeat_and_episodes_end():
    ends = []
    for seed in (3, 3, 4):
        env = gymnasium.make(IDS[0])
        env.reset(seed=seed)
        env.action_space.seed(seed)
        total = 0.0
        for _ in range(25):
            observation, reward, terminated, _, info = env.step(env.action_space.sample())
            assert reward == pytest.approx(sum(info.values()))
            total += float(reward)
        ends.append((observation, total))
    assert (ends[0][0] == ends[1][0]).all() and ends[0][1] == ends[1][1]
    assert (ends[0][0] != ends[2][0]).any()


def test_standing_is_rewarded():
    env = gymnasium.make(IDS[0])
    env.reset(seed=1)
    for _ in range(100):
        observation, reward, terminated, truncated, info = env.step(np.zeros(12))
        assert not terminated and not truncated
    # Near its height, upright, with small torques; gravity points down.
    assert info["height"] > 0.7 and info["upright"] > 0.49 and reward > 1.0
    assert np.allclose(observation[1:4], [0, 0, -1], atol=0.05)
    # Without stiffness in its legs it would fall: turned over it has.
    env.unwrapped.simulation.q[3:7] = [1, 0, 0, 0]
    assert env.step(np.zeros(12))[2]


def test_without_gymnasium_the_error_says_what_to_install():
    code = "import sys; sys.modules['gymnasium'] = None\nimport featherline.gym"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    assert "pip install gymnasium" in done.stderr


def test_the_example_of_the_module():
    results = doctest.testmod(featherline.gym)
    assert results.attempted > 3 and results.failed == 0


def test_rendering_is_refused():
    with pytest.raises(ValueError, match="render_mode is 'human'"):
        featherline.gym.QuadrupedStand(render_mode="human")
