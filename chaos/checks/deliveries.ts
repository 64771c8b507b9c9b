import { createHmac } from 'node:crypto';
import type { ReceivedEntry } from '../ledger/entries.ts';
import { groupBy } from '../ledger/group-by.ts';
import { clockTolerance } from '../ledger/clock.ts';
import { bytesOf, eventOf } from '../ledger/received-event.ts';
import type { History, ShopHistory } from '../ledger/read-history.ts';
import { erasuresOf } from '../model/erasures.ts';
import type { ObservedDelivery, ObservedEvent } from '../shop/observe-shop.ts';
import { forEachShop } from './check.ts';
import type { Check, Violation } from './check.ts';

const deliveryOf = ({ headers }: ReceivedEntry) => headers['x-service-delivery'] ?? 'without an id';
const isAccepted = ({ status = 0 }: ReceivedEntry) => status >= 200 && status < 300;
const endOf = ({ answeredAt, closedAt }: ReceivedEntry) => answeredAt ?? closedAt ?? Number.POSITIVE_INFINITY;

/** How long after a rotation of the signing key requests can still lack the new signature, in milliseconds. */
const rotatedAfterMs = 3_000;

/** Both signatures cover the bytes that arrived. */
export const signatures: Check = {
  name: 'signatures',
  promise: 'Both signatures of a webhook are valid for the bytes that arrive, also while the key is rotated',
  check: (history) =>
    forEachShop(history, ({ signingSecret, received, acts }) => {
      const rotations = acts.filter(({ act }) => act === 'rotate key');
      const secretsAt = (at: number): [string, ...string[]] => [
        signingSecret,
        ...rotations
          .filter(({ until }) => until + rotatedAfterMs < at)
          .map(({ details }) => String(details['signingSecret'])),
      ];
      return {
        count: received.length,
        violations: received
          .filter((one) => !isSigned(one, secretsAt(one.at)))
          .map((one) => ({ text: `delivery ${deliveryOf(one)} was received with an invalid signature` })),
      };
    }),
};

/** docs/webhooks.md: `X-Service-Signature` covers the body, by the old key for a day; `webhook-signature` also id and time, by each key. */
function isSigned(one: ReceivedEntry, secrets: readonly [string, ...string[]]): boolean {
  const body = bytesOf(one);
  const simple = `sha256=${createHmac('sha256', secrets[0]).update(body).digest('hex')}`;
  const { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': standard = '' } = one.headers;
  const given = standard.split(' ');
  return (
    one.headers['x-service-signature'] === simple &&
    secrets.every((secret) => {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
      const digest = createHmac('sha256', key).update(`${id}.${sentAt}.`).update(body).digest('base64');
      return given.includes(`v1,${digest}`);
    })
  );
}

/** One id and one body in all attempts of an event at a webhook. */
export const sameBytes: Check = {
  name: 'one-id-and-body',
  promise: 'All attempts to deliver an event to a webhook have the same id and the same bytes',
  check: (history) =>
    forEachShop(history, ({ received }) => {
      const byEvent = groupBy(received, (one) => `${eventOf(one).id} at ${one.webhook}`);
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
  promise:
    'Every event is delivered in the end to each webhook that was registered for its type, and what counts as delivered was answered with 2xx',
  check: (history) =>
    forEachShop(history, (shop) => {
      const deliveries = shop.observed<ObservedDelivery>('deliveries');
      // What was not sent to a webhook that is deleted is cancelled too, and cannot be read any more.
      const mayBeCancelled = erasuresOf(shop).length > 0;
      const accepted = new Set(shop.received.filter(isAccepted).map(deliveryOf));
      const violations = deliveries.flatMap(({ id, state, event_id: event, webhook_id: webhook }) => {
        const about = `delivery ${id} of ${event} to ${webhook}`;
        if (state === 'delivered' && !accepted.has(id))
          return [{ text: `${about} counts as delivered, and was never answered with 2xx` }];
        if (state === 'delivered' || (state === 'cancelled' && mayBeCancelled)) return [];
        return [{ text: `${about} is ${state} at the end` }];
      });
      return { count: deliveries.length, violations: [...violations, ...missingDeliveries(shop)] };
    }),
};

/** Events without a delivery to a webhook that was registered before them and still exists. */
function missingDeliveries(shop: ShopHistory): Violation[] {
  const isLeft = new Set(shop.observed<{ id: string }>('webhooks').map(({ id }) => id));
  const webhooks = shop.webhooks.filter(({ webhook }) => isLeft.has(webhook));
  // docs/rewards.md: a webhook that is not registered for reward.revoke keeps a later reward of the referral from being sent.
  const mayBeKept = shop.webhooks.some(
    ({ events }) => events.includes('reward.issue') && !events.includes('reward.revoke'),
  );
  const found = new Set(
    shop
      .observed<ObservedDelivery>('deliveries')
      .map(({ event_id: event, webhook_id: webhook }) => `${event} ${webhook}`),
  );
  const issuedAt = new Map<string, number>();
  const issuedFor = new Set<string>();
  const missing: Violation[] = [];
  for (const { id, type, created_at: createdAt, data } of shop.observed<ObservedEvent>('events')) {
    const isIssue = type === 'reward.issue';
    if (isIssue) issuedAt.set(data.reward.id, Date.parse(createdAt));
    const subject = `${data.referral.id} ${data.role}`;
    if (isIssue && mayBeKept && issuedFor.has(subject)) continue;
    issuedFor.add(subject);
    // A webhook gets a revocation only if it got the issue.
    const from = issuedAt.get(data.reward.id) ?? Date.parse(createdAt);
    for (const { webhook, at, events } of webhooks)
      if (events.includes(type) && at + clockTolerance < from && !found.has(`${id} ${webhook}`))
        missing.push({ text: `the ${type} ${id} has no delivery to ${webhook}` });
  }
  return missing;
}

/** How long before and after a fault a delivery may be sent again, in milliseconds. */
const repeatedBeforeMs = 1_000;
const repeatedAfterMs = 35_000;

/** Whether something may be repeated at a moment because of a fault. */
const isNearFault = ({ faults }: History, moment: number) =>
  faults.some(({ at, ended }) => moment >= at - repeatedBeforeMs && moment <= ended + repeatedAfterMs);

/** Nothing is sent needlessly. */
export const sentOnce: Check = {
  name: 'sent-once',
  promise:
    'While nothing fails in the service, a delivery is not sent again after a 2xx, nor before the request before it has ended',
  check: (history) =>
    forEachShop(history, ({ received }) => {
      const byDelivery = groupBy(received, deliveryOf);
      const violations = [...byDelivery].flatMap(([id, unsorted]) => {
        const requests = unsorted.toSorted((a, b) => a.at - b.at);
        return requests.slice(1).flatMap(({ at }, index) => {
          const before = requests.slice(0, index + 1);
          if (isNearFault(history, at)) return [];
          if (before.some(isAccepted)) return [{ text: `delivery ${id} was sent again after a 2xx` }];
          return before.some((one) => endOf(one) > at)
            ? [{ text: `delivery ${id} was sent again while a request of it was in flight` }]
            : [];
        });
      });
      const leftOut = received.filter(({ at }) => isNearFault(history, at)).length;
      return { count: received.length - leftOut, leftOut, violations };
    }),
};

/** Requests to a webhook at a time: at first, and at most. Each success can add one. */
const firstLimit = 4;
const highestLimit = 32;

/** A webhook is not flooded. */
export const inFlightLimit: Check = {
  name: 'in-flight-limit',
  promise:
    'A webhook has at most 4 requests at a time, one more for each success before, and never more than 32',
  check: (history) =>
    forEachShop(history, ({ received }) => {
      const byWebhook = groupBy(received, ({ webhook }) => webhook);
      const violations = [...byWebhook].flatMap(([webhook, requests]) => {
        const ends = requests.toSorted((a, b) => endOf(a) - endOf(b));
        let [ended, successes] = [0, 0];
        for (const [begun, { at }] of requests.toSorted((a, b) => a.at - b.at).entries()) {
          for (let one = ends[ended]; one && endOf(one) <= at; one = ends[ended]) {
            ended += 1;
            if (isAccepted(one)) successes += 1;
          }
          const inFlight = begun + 1 - ended;
          if (inFlight > Math.min(firstLimit + successes, highestLimit) && !isNearFault(history, at))
            return [{ text: `${webhook} had ${inFlight} requests at a time after ${successes} successes` }];
        }
        return [];
      });
      const leftOut = received.filter(({ at }) => isNearFault(history, at)).length;
      return { count: received.length - leftOut, leftOut, violations };
    }),
};
