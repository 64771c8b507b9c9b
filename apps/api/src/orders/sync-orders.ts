import { setImmediate } from 'node:timers/promises';
import type { Request, RequestHandler } from 'express';
import { timeZoneOrUtc, validateOrders } from '@rewardhook/contract';
import type { Answer } from '@rewardhook/contract';
import type { Intake } from '@rewardhook/pipeline';
import { traceOf } from '@rewardhook/process';
import type { Tracing } from '@rewardhook/process';
import { invalidRequest } from '../http/api-error.ts';
import type { Entry, Gate } from '../http/gate.ts';
import { warningFields } from '../http/warnings.ts';
import { isStrict } from '../http/handling-preference.ts';
import { bodyBytesOf } from '../http/json-body.ts';
import { ownerOf } from '../keys/authenticate.ts';
import type { KeyLimits } from '../limits/key-limits.ts';

/** What `syncOrders` uses. */
export interface SyncOrdersOptions {
  intake: Intake;
  gate: Pick<Gate, 'enter'>;
  keyLimits: Pick<KeyLimits, 'countOrders'>;
  tracing: Tracing;
  onAccepted(orders: number): void;
  /** Called when a request is dropped because its client has closed the connection. */
  onAbandoned(): void;
}

/**
 * POST /api/open/orders/sync/: validates a batch of orders, and answers 202 when the queue has all of them. The key was checked
 * and the body read before.
 */
export function syncOrders(options: SyncOrdersOptions): RequestHandler {
  const { gate, keyLimits, onAccepted, onAbandoned } = options;
  return async (request, response) => {
    const { merchantId, timezone, waitingKib } = ownerOf(response);
    const entry: Entry = await gate.enter(merchantId, bodyBytesOf(response));
    try {
      const settings = { timeZone: timeZoneOrUtc(timezone), strict: isStrict(request, response) };
      const validation = await validateOrders(request.body, settings);
      request.body = undefined;
      entry.validated();
      if (validation.kind === 'invalid') throw invalidRequest(validation.errors, validation.orderIds);
      const { accepted, orders, warnings } = validation;

      await keyLimits.countOrders(response, accepted);
      // Checked just before the version is assigned, because a client that gave up may have sent a newer request.
      if (await hasClientDisconnected(request)) {
        onAbandoned();
        return void response.destroy();
      }
      const { requestId, traceparent: parent } = traceOf(response);
      const span = options.tracing.startSpan('enqueue sync', { kind: 'producer', parent });
      try {
        const trace = { requestId, traceparent: span.traceparent };
        await options.intake.accept(merchantId, orders, trace, { waitingKib });
        span.end();
      } catch (error) {
        span.end(error);
        throw error;
      }
      onAccepted(accepted);
      const data: Answer<'Accepted'> = { accepted_count: accepted };
      response.status(202).json({ data, ...(warnings && warningFields(response, warnings)) });
    } finally {
      entry.end();
    }
  };
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
