import { useSyncExternalStore } from 'react';
import { ApiError } from './api-error.ts';

// The calls that wait until the password was entered. Module state and no React context, as for unsaved changes: any change can be one.
let waiting: ((entered: boolean) => void)[] = [];
const subscribers = new Set<() => void>();

function setWaiting(next: typeof waiting): void {
  waiting = next;
  for (const changed of subscribers) changed();
}

/** Sends a call, once more after the password was entered if the server asks for it. */
export async function withPassword<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'password_required') throw error;
    const entered = await new Promise<boolean>((resolve) => setWaiting([...waiting, resolve]));
    if (!entered) throw error;
    return send();
  }
}

/** Whether a call waits for the password, for the dialog. */
export const useIsPasswordRequested = (): boolean =>
  useSyncExternalStore(
    (changed) => {
      subscribers.add(changed);
      return () => void subscribers.delete(changed);
    },
    () => waiting.length > 0,
  );

/** Goes on with the calls that wait: sends them again, or ends them with the refusal of the server. */
export function endPasswordRequest(entered: boolean): void {
  const ended = waiting;
  setWaiting([]);
  for (const resolve of ended) resolve(entered);
}
