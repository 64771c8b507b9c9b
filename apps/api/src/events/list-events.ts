import type { RequestHandler } from 'express';
import { listFeedPage } from '@rewardhook/database';
import type { Database, Sealer } from '@rewardhook/database';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';
import { openFeedCursors } from './feed-cursor.ts';
import { readFeedQuery } from './read-feed-query.ts';

/** GET /api/open/events/: the events that webhooks tell of, in order, for a merchant that reads them by itself. */
export function listEvents({ database, sealer }: { database: Database; sealer: Sealer }): RequestHandler {
  const cursors = openFeedCursors(sealer);
  return async (request, response) => {
    const { merchantId } = ownerOf(response);
    const query = readFeedQuery(request.query, (cursor) => cursors.read(merchantId, cursor));
    const page = await withDatabaseTimeout(listFeedPage(database, merchantId, query));
    const given = request.query['after'];
    const next =
      page.next === query.after && typeof given === 'string' && given !== ''
        ? given
        : cursors.write(merchantId, page.next);
    response.set('cache-control', 'no-store').type('application/json');
    // The bodies are JSON already, and must stay to the byte what webhooks deliver: they are not written anew.
    response.send(
      `{"data":{"events":[${page.bodies.join(',')}],"next":${JSON.stringify(next)},"has_more":${page.hasMore}}}`,
    );
  };
}
