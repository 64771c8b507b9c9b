import type { RequestHandler } from 'express';
import Joi from 'joi';
import { textProblem } from '@rewardhook/contract';
import { findEventBody } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { ApiError } from '../http/api-error.ts';
import { queryReader } from '../http/read-query.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';

const readQuery = queryReader(Joi.object({}));

/** GET /api/open/events/{event_id}/: one event, as webhooks deliver it. */
export function showEvent(database: Database): RequestHandler {
  return async (request, response) => {
    readQuery(request);
    const { merchantId } = ownerOf(response);
    const id = String(request.params['event_id']);
    const event =
      textProblem(id, 0, Infinity) === undefined
        ? await withDatabaseTimeout(findEventBody(database, merchantId, id))
        : undefined;
    if (!event) throw new ApiError('not_found', 'There is no event with this id.');
    // The body is stored as JSON, and is not serialized again.
    response.type('application/json').send(`{"data":${event.body}}`);
  };
}
