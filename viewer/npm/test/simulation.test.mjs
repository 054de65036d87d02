import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "featherline/simulation";

test("a thrown stone falls as Galileo says", async () => {
  const stone = `<robot name="stone"><link name="stone"><inertial><mass value="3"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>`;
  const robot = await load(stone, { floatingBase: true });
  const v = [1, 0, 2, 0, 0, 0];
  const state = robot.simulate(robot.neutralConfiguration(), v, 0.5);
  // x = v t, z = v t − g t² / 2
  for (const [k, expected] of [0.5, 0, 1 - (9.81 * 0.25) / 2].entries()) {
    assert.ok(Math.abs(state.q[k] - expected) < 1e-9);
  }
  assert.ok(Math.abs(state.v[2] - (2 - 9.81 * 0.5)) < 1e-9);
  assert.throws(() => robot.simulate(state.q, state.v, -1), /positive/);
  robot.free();
});
