import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Robot, load, start } from "featherline";
import { golden } from "./golden.mjs";

const ARM = readFileSync(new URL("../../../robots/double_pendulum.urdf", import.meta.url), "utf8");

/** Pinocchio and this library round differently; the numbers are of order 1 to 100. */
const TOLERANCE = 1e-9;

function near(found, expected, what, tolerance = TOLERANCE) {
  assert.equal(found.length, expected.length, what);
  for (let k = 0; k < found.length; k++) {
    const difference = Math.abs(found[k] - expected[k]);
    assert.ok(difference <= tolerance * Math.max(1, Math.abs(expected[k])), `${what} ${k}`);
  }
}

/** A matrix by rows as one by columns. */
const byColumns = (entries, rows) => {
  const columns = entries.length / rows;
  return entries.map((_, k) => entries[(k % rows) * columns + Math.floor(k / rows)]);
};

for (const name of ["revolute", "prismatic"]) {
  test(`Pinocchio's numbers: ${name}`, async () => {
    const { text, states, joints } = golden(name);
    using_(await load(text), (robot) => {
      assert.equal(robot.nq, 6);
      const order = joints.map((it) => robot.joints.find((own) => own.name === it.name).idxV);
      // Where the order of joints is Pinocchio's, arrays need no sorting.
      assert.deepEqual(order, [0, 1, 2, 3, 4, 5]);
      for (const { values } of states) {
        const { q, v, a, tau_in: tau } = values;
        near(robot.rnea(q, v, a), values.tau, "rnea");
        near(robot.aba(q, v, tau), values.qdd_aba, "aba");
        near(robot.crba(q), byColumns(values.mass_matrix, 6), "crba");
        near(robot.bias(q, v), values.bias, "bias");
        near(robot.gravityTorque(q), values.gravity, "gravityTorque");
        near(robot.centerOfMass(q), values.com, "centerOfMass");
        near([robot.kineticEnergy(q, v)], values.kinetic_energy, "kineticEnergy");
        near(robot.placement(q, "tool"), byColumns(values.body_placements, 4), "placement");
        // The second of two targets.
        const jacobian = byColumns(values.jacobian_aligned.slice(36), 6);
        near(robot.jacobian(q, "tool"), jacobian, "jacobian");
        const all = robot.forwardKinematics(q);
        for (let k = 0; k < 6; k++) {
          const expected = values.joint_placements.slice(16 * k, 16 * k + 16);
          near(all.subarray(16 * k + 16, 16 * k + 32), byColumns(expected, 4), "joint placements");
        }
      }
    });
  });

  test(`inverse kinematics finds Pinocchio's placement: ${name}`, async () => {
    const { text, states } = golden(name);
    using_(await load(text), (robot) => {
      const { q, body_placements } = states[0].values;
      const placement = byColumns(body_placements, 4);
      const from = q.map((x) => x + 0.05);
      const solution = robot.inverseKinematics([{ frame: "tool", placement }], from);
      assert.ok(solution.isReached);
      near(robot.placement(solution.q, "tool"), placement, "placement", 1e-7);
      const position = placement.slice(12, 15);
      const nearby = robot.inverseKinematics([{ frame: "tool", position }], from, { restarts: 0 });
      assert.ok(nearby.isReached);
      near(robot.placement(nearby.q, "tool").subarray(12, 15), position, "position", 1e-7);
    });
  });
}

test("a pendulum has the torque of its weight", async () => {
  const pendulum = `<robot name="pendulum"><link name="world"/>
    <link name="rod"><inertial><origin xyz="0 0 -0.4"/><mass value="2"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="hinge" type="revolute"><parent link="world"/><child link="rod"/>
      <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="50" velocity="10"/></joint></robot>`;
  using_(await load(pendulum), (robot) => {
    // τ = m g l sin q, and M = I + m l².
    near(robot.gravityTorque([0.7]), [2 * 9.81 * 0.4 * Math.sin(0.7)], "torque");
    near(robot.crba([0.7]), [0.1 + 2 * 0.16], "inertia");
    assert.equal(robot.joints[1].name, "hinge");
    assert.deepEqual([...robot.lower, ...robot.upper], [-3, 3]);
    assert.deepEqual([...robot.joints[1].effort], [50]);
    near([robot.totalMass], [2], "mass");
  });
});

test("a floating base has six degrees of freedom more", async () => {
  using_(await load(ARM, { floatingBase: true }), (robot) => {
    assert.deepEqual([robot.nq, robot.nv], [9, 8]);
    const q = robot.randomConfiguration(1);
    const v = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
    near(robot.difference(q, robot.integrate(q, v)), v, "difference");
  });
});

test("an error of a file has the file, line and column", async () => {
  const text = `<robot name="r">\n  <link name="a"/>\n  <joint name="j" type="fixed">
    <parent link="a"/>\n    <child link="b"/>\n  </joint>\n</robot>`;
  await assert.rejects(load(text, { file: "arm.urdf" }), (error) => {
    assert.ok(error instanceof Error);
    assert.match(error.message, /^arm\.urdf:5:\d+: .*there is no link `b`/s);
    assert.deepEqual([error.file, error.line, error.code], ["arm.urdf", 5, "unknown-link"]);
    return true;
  });
  await assert.rejects(load("{"), (error) => error instanceof Error && error.file === undefined);
});

test("sizes and names that do not fit are errors, and the robot goes on", async () => {
  using_(await load(ARM), (robot) => {
    assert.throws(() => robot.rnea([0], [0, 0], [0, 0]), /2/);
    assert.throws(() => robot.placement([0, 0], "nowhere"), /nowhere/);
    assert.throws(() => robot.inverseKinematics([{ frame: "x" }], [0, 0]), /needs a placement/);
    const short = { frame: "x", position: [1, 2] };
    assert.throws(() => robot.inverseKinematics([short], [0, 0]), /has 2 entries/);
    assert.equal(robot.rnea([0, 0], [0, 0], [0, 0]).length, 2);
  });
});

test("a missing or wrong argument is an error, whatever was computed before", async () => {
  using_(await load(ARM), (robot) => {
    const [q, one] = [
      [0.3, 0.2],
      [1, 1],
    ];
    robot.rnea(q, one, one);
    robot.aba(q, one, one);
    for (const name of ["rnea", "aba"]) {
      assert.throws(() => robot[name](q, one), TypeError, name);
      assert.throws(() => robot[name](q), TypeError, name);
      assert.throws(() => robot[name](q, one, [1]), RangeError, name);
      assert.throws(() => robot[name]("12", one, one), TypeError, name);
      assert.throws(() => robot[name](["1", 2], one, one), TypeError, name);
    }
    assert.throws(() => robot.bias(q), TypeError);
    assert.throws(() => robot.gravityTorque(), TypeError);
    assert.throws(() => robot.integrate(q), TypeError);
    assert.throws(() => robot.placement(q, 3), TypeError);
    assert.throws(() => robot.jacobian(q), TypeError);
  });
  await assert.rejects(load(), TypeError);
  await assert.rejects(load(42), TypeError);
  await assert.rejects(load(new TextEncoder().encode(ARM)), /utf8/);
  await assert.rejects(load(ARM, { floating_base: true }), /no option floating_base/);
  await assert.rejects(load(ARM, { floatingBase: 1 }), TypeError);
});

test("goals that are no placements, and options that are none, are errors", async () => {
  using_(await load(golden("revolute").text), (robot) => {
    const q = robot.neutralConfiguration();
    const solve = (goal, options) =>
      robot.inverseKinematics([{ frame: "tool", ...goal }], q, options);
    const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.1, 0, 0, 1];
    assert.equal(solve({ placement: identity }, { restarts: 0 }).q.length, 6);
    const doubled = identity.map((x, k) => (k < 12 ? 2 * x : x));
    assert.throws(() => solve({ placement: doubled }), /no rotation/);
    const mirrored = identity.map((x, k) => (k === 0 ? -x : x));
    assert.throws(() => solve({ placement: mirrored }), /reflection/);
    assert.throws(() => solve({ placement: byColumns(identity, 4) }), /by columns/);
    assert.throws(() => solve({ rotation: [1, 1, 0, 0, 1, 0, 0, 0, 1] }), /no rotation/);
    assert.throws(() => solve({ position: [1, 0, 0], wieght: 2 }), /no option wieght/);
    assert.throws(() => solve({ position: [9, 0, 0] }, { restarts: -1 }), RangeError);
    assert.throws(() => solve({ position: [9, 0, 0] }, { restarts: 1.5 }), RangeError);
    assert.throws(() => solve({ position: [9, 0, 0] }, { restart: 1 }), /no option restart/);
  });
});

test("a robot that was freed says so, and its memory is used again", async () => {
  const robot = await load(ARM);
  robot.free();
  robot.free();
  assert.ok(robot.isFreed);
  assert.throws(() => robot.rnea([0, 0], [0, 0], [0, 0]), /was freed/);
  await start();
  const used = [];
  for (let k = 0; k < 3; k++) {
    for (let n = 0; n < 300; n++) new Robot(ARM).free();
    used.push(process.memoryUsage().arrayBuffers);
  }
  // 300 robots that stay would take megabytes.
  assert.ok(used[2] - used[1] < 1 << 20, used.join(" "));
});

test("results are arrays of their own", async () => {
  using_(await load(ARM), (robot) => {
    const first = robot.rnea([0.3, 0.2], [0, 0], [0, 0]);
    const copy = [...first];
    robot.rnea([1, 1], [1, 1], [1, 1]);
    assert.deepEqual([...first], copy);
  });
});

test("the first example of the README prints m g l sin 0.7", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, example] = /```js\n(.*?)```/s.exec(readme);
  const folder = fileURLToPath(new URL("..", import.meta.url));
  const words = ["--input-type=module", "--eval", example];
  const printed = execFileSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  const [, torque] = /Float64Array\(1\) \[ ([\d.]+) \]/.exec(printed);
  near([Number(torque)], [2 * 9.81 * 0.4 * Math.sin(0.7)], "torque");
});

test("the example of the book's page runs", () => {
  const page = readFileSync(new URL("../../../book/src/javascript.md", import.meta.url), "utf8");
  const [, example] = /```js\n(.*?)```/s.exec(page);
  const robot = fileURLToPath(new URL("../../../robots/panda.urdf", import.meta.url));
  const code = example.replace('readFile("panda.urdf"', `readFile(${JSON.stringify(robot)}`);
  const folder = fileURLToPath(new URL("..", import.meta.url));
  const print = "console.log(isReached, tau.length, a.length, hand.length);";
  const words = ["--input-type=module", "--eval", code + print];
  const printed = execFileSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  assert.equal(printed, "true 7 7 16\n");
});

/** As `using` does, which Node 20 does not have. */
function using_(robot, body) {
  try {
    body(robot);
  } finally {
    robot.free();
  }
}
