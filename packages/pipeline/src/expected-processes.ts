import { lateAfterSeconds } from './heartbeats.ts';
import type { Heartbeat } from './heartbeats.ts';
import { housekeepingQueue, stageNames } from './stages.ts';

/** The names of all processes. */
const processNames = ['api', ...stageNames, housekeepingQueue, 'console', 'dashboard'] as const;
export type ProcessName = (typeof processNames)[number];

/** A process that should run. One that scales to zero is expected only while its work waits. */
export interface ExpectedProcess {
  process: ProcessName;
  scalesToZero: boolean;
}

/** An expected process that does not run counts as absent after this time, in seconds. */
const absentAfterSeconds = 60;

/**
 * Reads a list such as `api, sync:0`: names of processes, with `:0` where the number of its replicas may be zero.
 * @throws when a name is unknown or occurs twice
 */
export function parseExpectedProcesses(text: string): ExpectedProcess[] {
  const expected: ExpectedProcess[] = [];
  for (const part of text.split(',')) {
    const [, name = '', zero] = /^([\w-]*)(:0)?$/.exec(part.trim()) ?? [];
    const process = processNames.find((known) => known === name);
    if (process === undefined)
      throw new Error(
        `"${part.trim()}" is not a process. The processes are ${processNames.join(', ')}; sync:0 is one that may scale to zero`,
      );
    if (expected.some((one) => one.process === process)) throw new Error(`${process} is listed twice`);
    expected.push({ process, scalesToZero: zero !== undefined });
  }
  return expected;
}

/** What is known about the processes. */
export interface ProcessSightings {
  heartbeats: Heartbeat[];
  /** How long ago a process of the name last wrote a heartbeat, in seconds. */
  lastSeen: ReadonlyMap<string, number>;
}

/**
 * Lists expected processes of which none has been running for 60 s, or ever. `waits` says whether the work of a process
 * waits: for one that scales to zero, and for a worker that is not expected, only that makes its absence a finding.
 */
export function findAbsentProcesses(
  { heartbeats, lastSeen }: ProcessSightings,
  expected: ExpectedProcess[],
  waits: (process: string) => boolean,
): ProcessName[] {
  const running = new Set(
    heartbeats.filter((one) => !one.ended && one.ageSeconds <= lateAfterSeconds).map((one) => one.process),
  );
  return processNames.filter((process) => {
    if (running.has(process)) return false;
    const always = expected.some((one) => one.process === process && !one.scalesToZero);
    if (always && (lastSeen.get(process) ?? Infinity) > absentAfterSeconds) return true;
    return waits(process) && !heartbeats.some((one) => !one.ended && one.process === process);
  });
}
