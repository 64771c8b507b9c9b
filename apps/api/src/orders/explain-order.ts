import type { RequestHandler } from 'express';
import { explainOrder as explain } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { ApiError } from '../http/api-error.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';

/**
 * GET /api/open/orders/{order_id}/explain/: why an order earned what it did. `decision` is what was
 * decided last, `today` how the newest state would be evaluated now, `timeline` what happened so far, oldest first.
 */
export function explainOrder(database: Database): RequestHandler {
  return async (request, response) => {
    const { merchantId } = ownerOf(response);
    const orderId = String(request.params['orderId']);
    // No order has a NUL in its id, and PostgreSQL takes none in a text.
    const data = orderId.includes('\0')
      ? undefined
      : await withDatabaseTimeout(explain(database, merchantId, orderId));
    if (!data)
      throw new ApiError(
        'not_found',
        'There is no order with this id. Orders show up a moment after the 202.',
      );
    response.status(200).json({ data });
  };
}
