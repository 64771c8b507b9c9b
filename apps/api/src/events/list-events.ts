import type { RequestHandler } from 'express';
import { eventTypes, parseDateTime } from '@rewardhook/contract';
import type { EventType } from '@rewardhook/contract';
import { FeedCursorExpired, listFeedPage } from '@rewardhook/database';
import type { Database, FeedPosition, FeedQuery, Sealer } from '@rewardhook/database';
import { ApiError, invalidRequest } from '../http/api-error.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';
import { openFeedCursors } from './feed-cursor.ts';

const defaultLimit = 100;
const maxLimit = 1_000;
const defaultTypes: EventType[] = ['reward.issue', 'reward.revoke'];

const expired =
  'The feed cannot be continued from `after`. Start again without it, or with `since`, and skip the events that you know.';

/** GET /api/open/events/: the events that webhooks deliver, in order, for merchants that poll. */
export function listEvents({ database, sealer }: { database: Database; sealer: Sealer }): RequestHandler {
  const cursors = openFeedCursors(sealer);
  return async (request, response) => {
    const { merchantId } = ownerOf(response);
    const query = readFeedQuery(request.query, (cursor) => cursors.read(merchantId, cursor));
    const listing = listFeedPage(database, merchantId, query).catch((error: unknown) => {
      throw error instanceof FeedCursorExpired ? new ApiError('cursor_expired', expired) : error;
    });
    const page = await withDatabaseTimeout(listing);
    const given = request.query['after'];
    const next =
      page.next === query.after && typeof given === 'string' ? given : cursors.write(merchantId, page.next);
    response.set('cache-control', 'no-store').type('application/json');
    // The bodies are stored as JSON. They are sent byte for byte as webhooks deliver them, so they are not serialized.
    response.send(
      `{"data":{"events":[${page.bodies.join(',')}],"next":${JSON.stringify(next)},"has_more":${page.hasMore}}}`,
    );
  };
}

/**
 * Reads the query of the feed. `positionOf` returns the position of a cursor, or undefined when the cursor is invalid. An
 * empty `after` starts at the first event.
 * @throws ApiError `invalid_request` that names all invalid parameters
 */
function readFeedQuery(
  query: Record<string, unknown>,
  positionOf: (cursor: string) => FeedPosition | undefined,
): FeedQuery {
  const errors: Record<string, string> = {};
  const read = <T>(name: string, fallback: T, parse: (text: string) => T | undefined, rule: string): T => {
    const given = query[name];
    if (given === undefined || given === '') return fallback;
    const value = typeof given === 'string' ? parse(given) : undefined;
    if (value === undefined) errors[name] = rule;
    return value ?? fallback;
  };
  const feedQuery: FeedQuery = {
    after: read<FeedPosition | null>(
      'after',
      null,
      positionOf,
      'must be a cursor from `next` of an earlier answer',
    ),
    since: read<Date | undefined>('since', undefined, parseSince, 'must be a date-time with an offset'),
    limit: read('limit', defaultLimit, parseLimit, `must be a whole number from 1 to ${maxLimit}`),
    types: read('types', defaultTypes, parseTypes, `must be one or more of ${eventTypes.join(', ')}`),
  };
  if (feedQuery.after && feedQuery.since) errors['since'] = 'must not be combined with `after`';
  if (Object.keys(errors).length > 0) throw invalidRequest(errors);
  return feedQuery;
}

function parseSince(text: string): Date | undefined {
  const time = parseDateTime(text);
  return time instanceof Date ? time : undefined;
}

function parseLimit(text: string): number | undefined {
  const limit = Number(text);
  return /^\d{1,6}$/.test(text) && limit >= 1 && limit <= maxLimit ? limit : undefined;
}

function parseTypes(text: string): EventType[] | undefined {
  const types = text.split(',').map((type) => type.trim());
  return types.every(isEventType) ? types : undefined;
}

function isEventType(type: string): type is EventType {
  return (eventTypes as readonly string[]).includes(type);
}
