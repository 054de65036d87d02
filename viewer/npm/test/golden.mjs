// Robots with reference numbers of Pinocchio: those of conformance/, as MJCF.

import { readFileSync } from "node:fs";

const read = (path) =>
  JSON.parse(readFileSync(new URL(`../../../conformance/${path}`, import.meta.url), "utf8"));

const TYPES = { revolute: "hinge", prismatic: "slide", spherical: "ball" };

/** A description of conformance/, whose joints MJCF can express, as the text of an MJCF file. */
function mjcf({ name, gravity, frames, joints }) {
  const at = ({ translation, rotation: [x, y, z, w] }) =>
    `pos="${translation.join(" ")}" quat="${w} ${x} ${y} ${z}"`;
  const bodies = (parent) =>
    joints
      .filter((joint) => joint.parent === parent)
      .map(({ name, kind, placement, body, armature }) => {
        const axis = kind.axis ? ` axis="${kind.axis.join(" ")}"` : "";
        const [xx, xy, xz, yy, yz, zz] = body.inertia;
        const sites = frames
          .filter((frame) => frame.joint === name)
          .map((frame) => `<site name="${frame.name}" ${at(frame.placement)}/>`);
        return `<body name="body_${name}" ${at(placement)}>
          <joint name="${name}" type="${TYPES[kind.type]}"${axis} armature="${armature?.[0] ?? 0}"/>
          <inertial pos="${body.com.join(" ")}" mass="${body.mass}"
            fullinertia="${xx} ${yy} ${zz} ${xy} ${xz} ${yz}"/>
          ${sites.join("")}${bodies(name)}</body>`;
      })
      .join("");
  return `<mujoco model="${name}"><compiler angle="radian"/>
    <option gravity="${gravity.join(" ")}"/><worldbody>${bodies(null)}</worldbody></mujoco>`;
}

/** The text of a robot, and Pinocchio's numbers of its states. */
export function golden(name) {
  const numbers = read(`golden/${name}.json`);
  return { text: mjcf(read(`descriptions/${name}.json`)), ...numbers };
}
