import type { Request, RequestHandler } from 'express';
import Joi from 'joi';
import { dateTimeField, eventTypes, limitField } from '@rewardhook/contract';
import type { EventType } from '@rewardhook/contract';
import { FeedCursorExpired, listFeedPage } from '@rewardhook/database';
import type { Database, FeedPosition, FeedQuery, Sealer } from '@rewardhook/database';
import { ApiError, invalidRequest } from '../http/api-error.ts';
import { queryReader } from '../http/read-query.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';
import type { UsageRecord } from '../record-usage.ts';
import { openFeedCursors } from './feed-cursor.ts';

const defaultLimit = 100;
const maxLimit = 1_000;
const defaultTypes: EventType[] = ['reward.issue', 'reward.revoke'];

const expired =
  'The feed cannot be continued from `after`. Start again without it, or with `since`, and skip the events that you know.';

/** GET /api/open/events/: the events that webhooks deliver, in order, for merchants that poll. */
export function listEvents({
  database,
  sealer,
  feedReads,
}: {
  database: Database;
  sealer: Sealer;
  feedReads: UsageRecord;
}): RequestHandler {
  const cursors = openFeedCursors(sealer);
  return async (request, response) => {
    const { merchantId } = ownerOf(response);
    const query = readFeedQuery(request, (cursor) => cursors.read(merchantId, cursor));
    const listing = listFeedPage(database, merchantId, query).catch((error: unknown) => {
      throw error instanceof FeedCursorExpired ? new ApiError('cursor_expired', expired) : error;
    });
    const page = await withDatabaseTimeout(listing);
    feedReads.record(merchantId);
    const given = request.query['after'];
    const next =
      page.next === query.after && typeof given === 'string' ? given : cursors.write(merchantId, page.next);
    response.type('application/json');
    // The bodies are stored as JSON. They are sent byte for byte as webhooks deliver them, so they are not serialized.
    response.send(
      `{"data":{"events":[${page.bodies.join(',')}],"next":${JSON.stringify(next)},"has_more":${page.hasMore}}}`,
    );
  };
}

interface Query {
  after: FeedPosition | null;
  since?: string;
  limit: number;
  types: EventType[];
}

/** Returns the position of a cursor; undefined when the cursor is invalid. */
type PositionOf = (cursor: string) => FeedPosition | undefined;

/** The query of the feed. */
export const feedQuery = Joi.object<Query>({
  after: Joi.any()
    .custom((given: unknown, helpers) => {
      const { positionOf } = helpers.prefs.context as { positionOf: PositionOf };
      return (typeof given === 'string' ? positionOf(given) : undefined) ?? helpers.error('cursor');
    })
    .meta({ schema: { type: 'string', maxLength: 1_000 } })
    .description('`next` of the page before. Without it the feed starts at the oldest event that is kept.')
    .default(null),
  since: dateTimeField().description(
    'Without `after`: starts at the events of that time, or up to five minutes earlier. A time in the future starts at the end of the feed.',
  ),
  limit: limitField(maxLimit, defaultLimit).description(
    'The most events of the page. Together they have at most 1 MiB.',
  ),
  types: Joi.any()
    .custom((given: unknown, helpers) => {
      const types = typeof given === 'string' ? given.split(',').map((type) => type.trim()) : [];
      return types.length > 0 && types.every(isEventType)
        ? types
        : helpers.error('not_an_option', { options: eventTypes.join(', ') });
    })
    .meta({ schema: { type: 'string' } })
    .description('Event types, comma-separated. Default: `reward.issue,reward.revoke`.')
    .default(defaultTypes),
});

const readQuery = queryReader(feedQuery);

/** @throws ApiError `invalid_request` that names all invalid parameters */
function readFeedQuery(request: Request, positionOf: PositionOf): FeedQuery {
  const { after, since, limit, types } = readQuery(request, { positionOf });
  if (after && since !== undefined) throw invalidRequest({ since: 'must not be combined with `after`' });
  return { after, since, limit, types };
}

function isEventType(type: string): type is EventType {
  return (eventTypes as readonly string[]).includes(type);
}
