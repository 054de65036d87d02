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
  assert.throws(() => robot.simulate(state.q, state.v, -1), RangeError);
  assert.throws(() => robot.simulate(state.q, state.v, 1, { step: 0.05 }), RangeError);
  assert.throws(() => robot.simulate(state.q, state.v, 1, { stepp: 0.05 }), /no option stepp/);
  assert.throws(() => robot.simulate(state.q, state.v, 1, { held: [true] }), /needs 6/);
  const names = new Array(6).fill("joint");
  assert.throws(() => robot.simulate(state.q, state.v, 1, { held: names }), TypeError);
  assert.throws(() => robot.simulate(state.q, state.v, 1e4), /steps/);
  robot.free();
});

test("an arm that falls ends at its stops, whatever the step", async () => {
  const arm = `<robot name="arm"><link name="base"/><link name="rod"><inertial>
    <origin xyz="0 0 0.5"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>`;
  const robot = await load(arm);
  for (const step of [0.001, 0.02]) {
    const { q, v } = robot.simulate([0.1], [0], 5, { step });
    assert.deepEqual([...q], [1]);
    assert.ok(Math.abs(v[0]) < 1e-9);
  }
  robot.free();
});
