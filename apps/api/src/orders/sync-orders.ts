import { setImmediate } from 'node:timers/promises';
import type { Request } from 'express';
import { requestLimits, timeZoneOrUtc } from '@rewardhook/contract';
import type { OrdersPart } from '@rewardhook/contract';
import type { Intake, ValidatedOrders } from '@rewardhook/pipeline';
import { freeMemory, traceOf } from '@rewardhook/process';
import type { Tracing } from '@rewardhook/process';
import type { AdmittedHandler } from '../admission/admit.ts';
import { invalidRequest, orderIdsField } from '../http/api-error.ts';
import { isStrict } from '../http/handling-preference.ts';
import { bodyOf } from '../http/read-body.ts';
import { ownerOf } from '../keys/authenticate.ts';
import type { KeyLimits } from '../limits/key-limits.ts';
import type { OrderValidator } from './order-validator.ts';

/** POST /api/open/orders/sync/: validates a batch of orders, and answers 202 when the queue has all of them. */
export function syncOrders(options: {
  intake: Intake;
  validator: OrderValidator;
  keyLimits: Pick<KeyLimits, 'countOrders'>;
  tracing: Tracing;
  onAccepted(orders: number): void;
  /** Called when a request is dropped because its client has closed the connection. */
  onAbandoned(): void;
}): AdmittedHandler {
  const { intake, validator, keyLimits, tracing, onAccepted, onAbandoned } = options;
  return async (request, response, admitted) => {
    const { merchantId, timezone } = ownerOf(response);
    const limits = {
      maxOrdersPerPart: requestLimits.orders,
      timeZone: timeZoneOrUtc(timezone),
      strict: isStrict(request, response),
    };
    const onStart = () => admitted.refuseIfLate();
    const validation = await validator.validate(merchantId, bodyOf(request), { limits, onStart });
    if (validation.kind === 'invalid') throw invalidRequest(validation.params, validation.orderIds);

    await keyLimits.countOrders(response, validation.count);
    // Checked just before the version is assigned, because a client that gave up may have sent a newer request.
    if (await hasClientDisconnected(request)) {
      onAbandoned();
      return void response.destroy();
    }
    const { requestId, traceparent: parent } = traceOf(response);
    const span = tracing.startSpan('enqueue sync', { kind: 'producer', parent });
    try {
      await intake.accept(merchantId, textOf(validation.parts), { requestId, traceparent: span.traceparent });
      span.end();
    } catch (error) {
      span.end(error);
      throw error;
    }
    onAccepted(validation.count);
    const { count, warnings: found } = validation;
    const warnings = found && { warnings: found.warnings, ...orderIdsField(found.orderIds) };
    response.status(202).json({ data: { accepted_count: count }, ...warnings });
    for (const bytes of [bodyOf(request), ...validation.parts.flatMap(({ pieces }) => pieces)])
      freeMemory(bytes);
  };
}

/** The JSON text of the orders. A request is one part. */
function textOf([part]: OrdersPart[]): ValidatedOrders {
  return { count: part?.orders ?? 0, json: Buffer.concat(part?.pieces ?? []).toString() };
}

/**
 * A close that the kernel has already received is visible after this number of iterations of the event loop: one
 * reads the data, one reads the end, and one accepts a connection that was still waiting.
 */
const iterations = 3;

/** Whether this machine has received the close of the client's connection. */
async function hasClientDisconnected({ socket }: Request): Promise<boolean> {
  for (let iteration = 0; iteration < iterations; iteration += 1) await setImmediate();
  return socket.destroyed || socket.readableEnded;
}
