import type { RequestHandler } from 'express';
import { timeZoneOrUtc, validateSyncRequest } from '@rewardhook/contract';
import type { Intake } from '@rewardhook/pipeline';
import { ApiError, invalidRequest } from '../http/api-error.ts';
import { hasClientDisconnected } from '../http/has-client-disconnected.ts';
import { parseBody } from '../http/read-body.ts';
import { ownerOf } from '../keys/authenticate.ts';

/** POST /api/open/orders/sync/: validates a batch of orders and answers 202 when the queue has all of it. */
export function syncOrders(options: {
  intake: Intake;
  maxOrders: number;
  onAccepted(orders: number): void;
  /** Called when a request is dropped because its client has closed the connection. */
  onAbandoned(): void;
}): RequestHandler {
  const { intake, maxOrders, onAccepted, onAbandoned } = options;
  return async (request, response) => {
    const { merchantId, timezone } = ownerOf(response);
    const validation = await validateSyncRequest(parseBody(request), {
      maxOrders,
      timeZone: timeZoneOrUtc(timezone),
    });
    if (validation.kind === 'invalid') throw invalidRequest(validation.params);
    if (validation.kind === 'too_many')
      throw new ApiError(
        'payload_too_large',
        `A request holds at most ${maxOrders} orders.`,
        validation.params,
      );

    // Just before the version is taken: a newer request may have been accepted since this one was given up.
    if (await hasClientDisconnected(request)) {
      onAbandoned();
      return void response.destroy();
    }
    await intake.accept(merchantId, validation.orders);
    onAccepted(validation.count);
    response.status(202).json({ data: { accepted_count: validation.count } });
  };
}
