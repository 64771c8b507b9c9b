import { listEndpoints, replayableStates } from '@rewardhook/database';
import type { Database, ReplayableState, ReplayFilter } from '@rewardhook/database';
import { UsageError } from '../command.ts';
import { readFlag } from '../read-linking.ts';
import { readSince } from './read-since.ts';

export const replayableList = replayableStates.join(', ');

/** What a replay shall mean, from the options of the command. @throws UsageError */
export async function readReplayFilter(
  database: Database,
  merchantId: string,
  options: { states: string; from: string; until?: string; webhook?: string; 'new-ids'?: string },
): Promise<ReplayFilter> {
  const { webhook, 'new-ids': newIds } = options;
  const states = [...new Set(options.states.split(',').map((state) => state.trim()))];
  if (!states.every(isReplayable)) throw new UsageError(`--states is one or more of ${replayableList}.`);
  const from = (await readSince(database, merchantId, options.from, '--from')) as Date;
  const until = (await readSince(database, merchantId, options.until, '--until')) ?? new Date();
  if (from >= until) throw new UsageError('--from comes before --until.');
  if (webhook !== undefined && !(await listEndpoints(database, merchantId)).some(({ id }) => id === webhook))
    throw new UsageError(`Merchant ${merchantId} has no webhook ${webhook}.`);
  return {
    endpointId: webhook ?? null,
    states,
    from,
    until,
    newIds: newIds !== undefined && readFlag('--new-ids', newIds),
  };
}

/** Deliveries a minute. @throws UsageError */
export function readReplayPace(text: string): number {
  const perMinute = Number(text);
  if (!(Number.isInteger(perMinute) && perMinute >= 1 && perMinute <= 60_000))
    throw new UsageError('--per-minute is a whole number from 1 to 60000.');
  return perMinute;
}

function isReplayable(state: string): state is ReplayableState {
  return (replayableStates as readonly string[]).includes(state);
}
