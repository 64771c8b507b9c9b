import Joi from 'joi';
import { dateTimeField, pageFields, textField } from '@rewardhook/contract';
import {
  cancelReplay,
  createReplay,
  findReplayDetails,
  listReplaysPage,
  pauseReplay,
  previewReplayWithin,
  replayableStates,
  replayCountMs,
  resumeReplay,
} from '@rewardhook/database';
import type { Database, ReplayListRow } from '@rewardhook/database';
import type { ReplayPreview, ReplayPreviewRequest } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { invalidField, notFound, refuse } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';
import { requireWebhook } from './webhook-routes.ts';

const rangeFields = {
  states: Joi.array()
    .items(Joi.string().valid(...replayableStates))
    .min(1)
    .unique()
    .required(),
  from: dateTimeField().required(),
  until: dateTimeField().required(),
};

type Change = (database: Database, merchantId: string, id: string) => Promise<boolean>;

export function replayHandlers({ database, webhookLimits, log }: ConsoleDependencies) {
  /** Deliveries that are already due are sent. */
  const transition =
    (change: Change): Handlers['POST /replays/:id/pause'] =>
    async ({ merchantId, params }) => {
      const { id, state } = await requireReplay(database, merchantId, params.id);
      if (!(await change(database, merchantId, id))) throw refuse('replay_state', { state });
      return requireReplay(database, merchantId, id);
    };

  return {
    'POST /webhooks/:id/replays/preview': {
      input: { ...rangeFields, new_ids: Joi.boolean() },
      async handle({ merchantId, params, input }): Promise<ReplayPreview> {
        const filter = await filterOf(database, merchantId, params.id, input);
        const preview = await previewReplayWithin(database, merchantId, filter, replayCountMs);
        return {
          count: preview.total,
          complete: preview.complete,
          skipped: Object.fromEntries(preview.skipped.map(({ reason, count }) => [reason, count])),
        };
      },
    },

    'POST /webhooks/:id/replays': {
      input: {
        ...rangeFields,
        new_ids: Joi.boolean().required(),
        per_minute: Joi.number().integer().min(1).max(60_000).required(),
      },
      async handle({ merchantId, params, input, session }) {
        const filter = await filterOf(database, merchantId, params.id, input);
        const { replay } = await createReplay(database, merchantId, {
          ...filter,
          perMinute: input.per_minute,
          maxOpen: webhookLimits.replaysAtOnce,
        });
        log.info('replay started', { merchantId, replayId: replay.id, userId: session.userId });
        return requireReplay(database, merchantId, replay.id);
      },
    },

    /** Of a webhook, and those of all webhooks. */
    'GET /replays': {
      input: { endpoint_id: textField(255), ...pageFields },
      handle: ({ merchantId, input: { endpoint_id: endpointId, ...page } }) =>
        listReplaysPage(database, merchantId, { endpointId }, page),
    },

    'GET /replays/:id': ({ merchantId, params }) => requireReplay(database, merchantId, params.id),
    'POST /replays/:id/pause': transition(pauseReplay),
    'POST /replays/:id/resume': transition(resumeReplay),
    'POST /replays/:id/cancel': transition(cancelReplay),
  } satisfies Partial<Handlers>;
}

async function filterOf(
  database: Database,
  merchantId: string,
  webhookId: string,
  { states, from, until, new_ids: newIds = false }: ReplayPreviewRequest,
) {
  await requireWebhook(database, merchantId, webhookId);
  if (from >= until) throw invalidField('until', 'not_after', { field: 'from' });
  return { endpointId: webhookId, states, from, until, newIds };
}

async function requireReplay(database: Database, merchantId: string, id: string): Promise<ReplayListRow> {
  const found = await findReplayDetails(database, merchantId, id);
  if (!found) throw notFound();
  return found;
}
