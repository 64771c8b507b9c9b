import { setImmediate } from 'node:timers/promises';
import type { Request } from 'express';

/**
 * Turns of the event loop in which the end of a connection that is already in the system's buffers is read: one turn
 * reads what was sent, the next one that nothing follows; another for a connection that was accepted in between.
 */
const turns = 3;

/** Whether the client has closed its connection, as far as this machine knows by now. */
export async function hasClientDisconnected({ socket }: Request): Promise<boolean> {
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
  return socket.destroyed || socket.readableEnded;
}
