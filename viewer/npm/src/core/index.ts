// featherline: kinematics, dynamics and inverse kinematics.

import { Robot, start, type LoadOptions } from "./robot.js";

export { Robot, start };
export type {
  Frame,
  Goal,
  Joint,
  LoadOptions,
  RobotFileError,
  Solution,
  Source,
  Vector,
} from "./robot.js";

/**
 * Reads a robot from the text of a URDF, an MJCF or a model file. Mesh files are not read.
 *
 * Throws a `RobotFileError`, with the line, for a text that is no robot.
 */
export async function load(text: string, options: LoadOptions = {}): Promise<Robot> {
  await start();
  return new Robot(text, options);
}
