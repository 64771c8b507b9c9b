import type { RequestHandler } from 'express';
import { explainOrder as explain } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { ApiError } from '../http/api-error.ts';
import { ownerOf } from '../keys/authenticate.ts';

/**
 * GET /api/open/orders/{order_id}/explain/: why an order earned what it did. `verdict` is how the newest state is
 * judged now, `story` what happened so far, oldest first.
 */
export function explainOrder(database: Database): RequestHandler {
  return async (request, response) => {
    const { merchantId } = ownerOf(response);
    const data = await explain(database, merchantId, String(request.params['orderId']));
    if (!data)
      throw new ApiError(
        'not_found',
        'There is no order with this id. Orders show up a moment after the 202.',
      );
    response.status(200).json({ data });
  };
}
