import { createHmac } from 'node:crypto';
import type { ReceivedEntry } from '../ledger/entries.ts';
import { groupBy } from '../ledger/group-by.ts';
import type { ObservedDelivery } from '../shop/observe-shop.ts';
import { forEachShop } from './check.ts';
import type { Check } from './check.ts';

const bytesOf = ({ body }: ReceivedEntry) => Buffer.from(body, 'base64');
const deliveryOf = ({ headers }: ReceivedEntry) => headers['x-service-delivery'] ?? 'without an id';

/** Both signatures cover the bytes that arrived. */
export const signatures: Check = {
  name: 'signatures',
  promise: 'Both signatures of a webhook are valid for the bytes that arrive',
  check: (history) =>
    forEachShop(history, ({ signingSecret, received }) => ({
      count: received.length,
      violations: received
        .filter((one) => !isSigned(one, signingSecret))
        .map((one) => ({ text: `delivery ${deliveryOf(one)} was received with an invalid signature` })),
    })),
};

/** docs/webhooks.md: `X-Service-Signature` covers the body, `webhook-signature` also id and time. */
function isSigned(one: ReceivedEntry, secret: string): boolean {
  const body = bytesOf(one);
  const simple = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': standard = '' } = one.headers;
  const expected = `v1,${createHmac('sha256', key).update(`${id}.${sentAt}.`).update(body).digest('base64')}`;
  return one.headers['x-service-signature'] === simple && standard.split(' ').includes(expected);
}

/** One id and one body in all attempts of an event at a webhook. */
export const sameBytes: Check = {
  name: 'one-id-and-body',
  promise: 'All attempts to deliver an event to a webhook have the same id and the same bytes',
  check: (history) =>
    forEachShop(history, ({ received }) => {
      const eventOf = (one: ReceivedEntry) => (JSON.parse(bytesOf(one).toString()) as { id: string }).id;
      const byEvent = groupBy(received, (one) => `${eventOf(one)} at ${one.webhook}`);
      const violations = [...byEvent].flatMap(([event, all]) => {
        const [ids, bodies] = [new Set(all.map(deliveryOf)), new Set(all.map(({ body }) => body))];
        if (ids.size === 1 && bodies.size === 1) return [];
        return [{ text: `${event} came with ${ids.size} delivery ids and ${bodies.size} bodies` }];
      });
      return { count: byEvent.size, violations };
    }),
};

/** What is to be delivered arrives, and what counts as delivered has arrived. */
export const deliveredInTheEnd: Check = {
  name: 'delivered',
  promise: 'Every delivery is delivered in the end, and one that counts as delivered was answered with 2xx',
  check: (history) =>
    forEachShop(history, (shop) => {
      const deliveries = shop.observed<ObservedDelivery>('deliveries');
      const accepted = new Set(
        shop.received.filter(({ status = 0 }) => status >= 200 && status < 300).map(deliveryOf),
      );
      const violations = deliveries.flatMap(({ id, state, event_id: event, webhook_id: webhook }) => {
        const about = `delivery ${id} of ${event} to ${webhook}`;
        if (state === 'delivered' && !accepted.has(id))
          return [{ text: `${about} counts as delivered, and was never answered with 2xx` }];
        if (state === 'pending') return [{ text: `${about} is still pending` }];
        if (state === 'exhausted') return [{ text: `${about} is exhausted` }];
        return [];
      });
      return { count: deliveries.length, violations };
    }),
};
