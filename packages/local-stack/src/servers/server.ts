import type { LogFile } from '../processes/log-file.ts';
import type { RunningProcess } from '../processes/start-process.ts';
import { scaled } from '../time-scale.ts';
import { waitWhileMoving } from '../wait-while-moving.ts';

/** A running server. */
export interface Server extends RunningProcess {
  /** The URL for clients, with user and password if there are any. */
  url: string;
}

/** How long nothing may change while a server starts, in milliseconds, unless its options say otherwise. */
const defaultStillMs = 60_000;

/**
 * Waits until a started server is ready, and stops it when nothing has changed for `stillMs`.
 * @throws with the end of its log when it ends or is not ready
 */
export async function readyOrStopped(
  name: string,
  running: RunningProcess,
  log: LogFile,
  answers: () => Promise<boolean>,
  url: string,
  stillMs = scaled(defaultStillMs),
): Promise<Server> {
  let ended = false;
  void running.exited.then(() => (ended = true));
  const requireHope = () => {
    if (ended) throw new Error(`${name} ended while it started`);
  };
  try {
    await waitWhileMoving(
      name,
      (say) =>
        answers().catch((error: unknown) => {
          say(error instanceof Error ? error.message : String(error));
          throw error;
        }),
      { stillMs, requireHope },
    );
    return { ...running, url };
  } catch (cause) {
    await running.stop(1_000);
    throw new Error(`${name} could not be started, see ${log.path}:\n${log.tail()}`, { cause });
  }
}
