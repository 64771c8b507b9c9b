import { disableEndpoint, saveEndpointHealth } from '@rewardhook/database';
import type { Database, SendableEndpoint } from '@rewardhook/database';
import type { Logger } from '@rewardhook/process';
import type { TurnResult } from './endpoint-turn.ts';

/** Stores what a turn has shown of an endpoint's health, and disables it where that follows. */
export function concludeTurn(options: {
  database: Database;
  log: Logger;
  onStage(stage: TurnResult['stages'][number]): void;
}): (endpoint: SendableEndpoint, turn: TurnResult) => Promise<void> {
  const { database, log, onStage } = options;
  return async ({ merchantId, id: endpointId, health: before }, { health, silentSeconds, stages, gone }) => {
    if (health || silentSeconds !== null)
      await saveEndpointHealth(database, merchantId, endpointId, health ?? before, silentSeconds);
    for (const stage of stages) onStage(stage);
    if (gone) await disable('The receiver answered 410 Gone.');
    else if (stages.includes('disabled')) await disable('Every attempt of the last five days failed.');

    async function disable(reason: string): Promise<void> {
      await disableEndpoint(database, merchantId, endpointId, reason);
      log.warn('an endpoint is disabled', { merchantId, endpointId, reason });
    }
  };
}
