import type { RequestHandler } from 'express';
import Joi from 'joi';
import { explainOrder as explain } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { ApiError } from '../http/api-error.ts';
import { queryReader } from '../http/read-query.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';

const readQuery = queryReader(Joi.object({}));

/**
 * GET /api/open/orders/{order_id}/explain/: why an order earned a reward or none. `decision` is the last decision,
 * `today` the result of evaluating the newest state now, and `timeline` the history of the order, oldest entry first.
 */
export function explainOrder(database: Database): RequestHandler {
  return async (request, response) => {
    readQuery(request);
    const { merchantId } = ownerOf(response);
    const orderId = String(request.params['order_id']);
    // PostgreSQL does not accept NUL in a text, and no order id contains one.
    const data = orderId.includes('\0')
      ? undefined
      : await withDatabaseTimeout(explain(database, merchantId, orderId));
    if (!data)
      throw new ApiError(
        'not_found',
        'There is no order with this id. Orders are available shortly after the 202.',
      );
    response.status(200).json({ data });
  };
}
