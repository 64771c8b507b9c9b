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
import type { NewReplayRequest, ReplayPreview, ReplayPreviewRequest } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { invalidField, notFound, refuse } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';
import { answerField } from './delivery-routes.ts';
import { requireWebhook } from './webhook-routes.ts';

const rangeFields = {
  answers: Joi.array().items(answerField()).max(20).unique(),
  states: Joi.array()
    .items(Joi.string().valid(...replayableStates))
    .min(1)
    .unique()
    .required(),
  from: dateTimeField().required(),
  until: dateTimeField().required(),
};

const previewFields = { ...rangeFields, new_ids: Joi.boolean() };

const newReplayFields = {
  ...rangeFields,
  new_ids: Joi.boolean().required(),
  per_minute: Joi.number().integer().min(1).max(60_000).required(),
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

  const preview = async (
    merchantId: string,
    webhookId: string | null,
    input: ReplayPreviewRequest,
  ): Promise<ReplayPreview> => {
    const filter = await filterOf(database, merchantId, webhookId, input);
    const { total, complete, skipped } = await previewReplayWithin(
      database,
      merchantId,
      filter,
      replayCountMs,
    );
    return {
      count: total,
      complete,
      skipped: Object.fromEntries(skipped.map(({ reason, count }) => [reason, count])),
    };
  };

  const start = async (
    merchantId: string,
    webhookId: string | null,
    input: NewReplayRequest,
    userId: string,
  ) => {
    const filter = await filterOf(database, merchantId, webhookId, input);
    const { replay } = await createReplay(database, merchantId, {
      ...filter,
      perMinute: input.per_minute,
      maxOpen: webhookLimits.replaysAtOnce,
    });
    log.info('replay started', { merchantId, replayId: replay.id, userId });
    return requireReplay(database, merchantId, replay.id);
  };

  return {
    'POST /webhooks/:id/replays/preview': {
      input: previewFields,
      handle: ({ merchantId, params, input }) => preview(merchantId, params.id, input),
    },

    'POST /webhooks/:id/replays': {
      input: newReplayFields,
      handle: ({ merchantId, params, input, session }) => start(merchantId, params.id, input, session.userId),
    },

    /** Of all webhooks. */
    'POST /replays/preview': {
      input: previewFields,
      handle: ({ merchantId, input }) => preview(merchantId, null, input),
    },

    'POST /replays': {
      input: newReplayFields,
      handle: ({ merchantId, input, session }) => start(merchantId, null, input, session.userId),
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
  webhookId: string | null,
  { states, answers = [], from, until, new_ids: newIds = false }: ReplayPreviewRequest,
) {
  if (webhookId !== null) await requireWebhook(database, merchantId, webhookId);
  if (from >= until) throw invalidField('until', 'not_after', { field: 'from' });
  return { endpointId: webhookId, states, answers, from, until, newIds };
}

async function requireReplay(database: Database, merchantId: string, id: string): Promise<ReplayListRow> {
  const found = await findReplayDetails(database, merchantId, id);
  if (!found) throw notFound();
  return found;
}
