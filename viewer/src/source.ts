// Where a scene comes from: inside the page, or from the server that served it.

import { inflate } from "./scene_file";

export interface Source {
  /** Base64 of gzip of the scene, if the page has it inside. */
  text: string | null;
  /** The token of the server, if the page has one. */
  token: string | null;
}

/** The bytes of the scene; none for a page that was opened without one. */
export async function readSource({ text, token }: Source): Promise<Uint8Array> {
  if (text !== null) {
    try {
      return await inflate(text.trim());
    } catch (cause) {
      throw new Error("The scene inside of this page is damaged.", { cause });
    }
  }
  if (token === null || !location.protocol.startsWith("http")) return new Uint8Array();
  const answer = await fetch(`/scene?token=${encodeURIComponent(token)}`);
  if (!answer.ok)
    throw new Error(`featherline does not give the scene: ${answer.status} ${answer.statusText}.`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** The address of live states, if there is a server. */
export function liveAddress({ text, token }: Source): string | null {
  if (text !== null || token === null || !location.protocol.startsWith("http")) return null;
  return `ws://${location.host}/live?token=${encodeURIComponent(token)}`;
}
