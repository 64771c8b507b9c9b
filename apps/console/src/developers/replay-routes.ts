import Joi from 'joi';
import { dateTimeField, pageFields, textField } from '@rewardhook/contract';
import type { PageQuery } from '@rewardhook/contract';
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
import type { AuditAction, Database, ReplayableState } from '@rewardhook/database';
import type { ReplayPage, ReplayPreview, ReplayView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { invalidField, notFound, refuse } from '../http/console-error.ts';
import { route } from '../http/route.ts';
import { requireWebhook } from './webhook-routes.ts';

interface Range {
  states: ReplayableState[];
  from: string;
  until: string;
  new_ids: boolean;
}

const rangeFields = {
  states: Joi.array()
    .items(Joi.string().valid(...replayableStates))
    .min(1)
    .unique()
    .required(),
  from: dateTimeField().required(),
  until: dateTimeField().required(),
};

/** POST /webhooks/:id/replays/preview */
export const previewNewReplay = ({ database }: ConsoleDependencies) =>
  route<Range>(
    'developer',
    'POST',
    '/webhooks/:id/replays/preview',
    async ({ merchantId, params, body }): Promise<ReplayPreview> => {
      const filter = await filterOf(database, merchantId, String(params['id']), body);
      const { total, skipped, complete } = await previewReplayWithin(
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
    },
    { body: Joi.object<Range>({ ...rangeFields, new_ids: Joi.boolean().default(false) }), audit: null },
  );

/** POST /webhooks/:id/replays */
export const startReplay = ({ database, webhookLimits, log }: ConsoleDependencies) =>
  route<Range & { per_minute: number }>(
    'developer',
    'POST',
    '/webhooks/:id/replays',
    async ({ merchantId, params, body, session }): Promise<ReplayView> => {
      const filter = await filterOf(database, merchantId, String(params['id']), body);
      const { replay } = await createReplay(database, merchantId, {
        ...filter,
        perMinute: body.per_minute,
        maxOpen: webhookLimits.replaysAtOnce,
      });
      log.info('replay started', { merchantId, replayId: replay.id, userId: session.userId });
      return requireReplay(database, merchantId, replay.id);
    },
    {
      body: Joi.object<Range & { per_minute: number }>({
        ...rangeFields,
        new_ids: Joi.boolean().required(),
        per_minute: Joi.number().integer().min(1).max(60_000).required(),
      }),
      status: 201,
      audit: 'replay.created',
    },
  );

/** GET /replays */
export const showReplays = ({ database }: ConsoleDependencies) =>
  route<undefined, PageQuery & { endpoint_id?: string }>(
    'viewer',
    'GET',
    '/replays',
    ({ merchantId, query: { endpoint_id: endpointId, ...page } }): Promise<ReplayPage> =>
      listReplaysPage(database, merchantId, { endpointId }, page),
    {
      query: Joi.object<PageQuery & { endpoint_id?: string }>({
        endpoint_id: textField(255),
        ...pageFields,
      }),
    },
  );

/** GET /replays/:id */
export const showReplay = ({ database }: ConsoleDependencies) =>
  route('viewer', 'GET', '/replays/:id', ({ merchantId, params }) =>
    requireReplay(database, merchantId, String(params['id'])),
  );

type Transition = (database: Database, merchantId: string, id: string) => Promise<boolean>;

/** POST /replays/:id/<verb> */
const transition =
  (verb: string, change: Transition, audit: AuditAction) =>
  ({ database }: ConsoleDependencies) =>
    route(
      'developer',
      'POST',
      `/replays/:id/${verb}`,
      async ({ merchantId, params }): Promise<ReplayView> => {
        const { id, state } = await requireReplay(database, merchantId, String(params['id']));
        if (!(await change(database, merchantId, id))) throw refuse('replay_state', { state });
        return requireReplay(database, merchantId, id);
      },
      { audit },
    );

/** POST /replays/:id/pause, /resume, /cancel: deliveries that are already due are sent. */
export const pauseRunningReplay = transition('pause', pauseReplay, 'replay.paused');
export const resumePausedReplay = transition('resume', resumeReplay, 'replay.resumed');
export const cancelActiveReplay = transition('cancel', cancelReplay, 'replay.cancelled');

async function filterOf(database: Database, merchantId: string, webhookId: string, range: Range) {
  await requireWebhook(database, merchantId, webhookId);
  const { states, from, until, new_ids: newIds } = range;
  if (from >= until) throw invalidField('until', 'not_after', { field: 'from' });
  return { endpointId: webhookId, states, from, until, newIds };
}

async function requireReplay(database: Database, merchantId: string, id: string): Promise<ReplayView> {
  const found = await findReplayDetails(database, merchantId, id);
  if (!found) throw notFound();
  return found;
}
