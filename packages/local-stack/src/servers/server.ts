import type { LogFile } from '../processes/log-file.ts';
import type { RunningProcess } from '../processes/start-process.ts';
import { waitFor } from '../wait-for.ts';

/** A running server. */
export interface Server extends RunningProcess {
  /** The URL for clients, with user and password if there are any. */
  url: string;
}

/**
 * Waits until a started server is ready, and stops it when it is not within 60 s.
 * @throws with the end of its log when it ends or is not ready
 */
export async function readyOrStopped(
  name: string,
  running: RunningProcess,
  log: LogFile,
  answers: () => Promise<boolean>,
  url: string,
): Promise<Server> {
  let ended = false;
  void running.exited.then(() => (ended = true));
  try {
    await waitFor(async () => ended || (await answers()), {
      deadlineMs: 60_000,
      what: `a response of ${name}`,
    });
    if (ended) throw new Error(`${name} ended while it started`);
    return { ...running, url };
  } catch (cause) {
    await running.stop(1_000);
    throw new Error(`${name} could not be started, see ${log.path}:\n${log.tail()}`, { cause });
  }
}
