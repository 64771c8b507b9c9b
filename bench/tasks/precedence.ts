import { setPriority } from 'node:os';

/** Niceness of a process that measures latencies; others have 0. */
const preferred = -10;

/**
 * Prefers this process to those that it measures, or ends that. A client is on another machine, but here it shares the
 * processor, and what it is late itself would count as their latency. Without the permission (root) nothing changes.
 */
export function setPrecedence(on: boolean): void {
  try {
    setPriority(on ? preferred : 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error;
  }
}
