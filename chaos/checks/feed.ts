import { eventOf } from '../ledger/received-event.ts';
import type { ShopHistory } from '../ledger/read-history.ts';
import type { ObservedEvent } from '../shop/observe-shop.ts';
import type { ObservedReading } from '../shop/read-feed.ts';
import { forEachShop } from './check.ts';
import type { Check } from './check.ts';

/** Readers of the feed miss nothing, whatever happens at the same time. */
export const feedReaders: Check = {
  name: 'feed-readers',
  promise:
    'Each reader of the feed gets every event once, in the same order, and a revocation after its issue',
  check: (history) =>
    forEachShop(history, (shop) => {
      const readings = shop.observed<ObservedReading>('feed readings');
      return {
        count: readings.reduce((sum, { events }) => sum + events.length, 0),
        violations: readings.flatMap((one) => {
          const about = `the reader ${one.reader}`;
          return problemsOf(one, shop).map((problem) => ({ text: `${about} ${problem}` }));
        }),
      };
    }),
};

function problemsOf({ events, until, refused }: ObservedReading, shop: ShopHistory): string[] {
  const feed = shop.observed<ObservedEvent>('events');
  const ids = events.map(({ id }) => id);
  const known = new Set(ids);
  const atWebhooks = shop.received.filter(({ at }) => at < until).map(eventOf);
  const missed = [
    ...feed.filter(({ created_at: at }) => Date.parse(at) < until),
    ...atWebhooks.filter(({ type }) => type.startsWith('reward.')),
  ].find(({ id }) => !known.has(id));
  const misplaced = ids.findIndex((id, index) => feed[index]?.id !== id);
  const early = events.find(
    ({ type, reward }, index) =>
      type === 'reward.revoke' &&
      !events.slice(0, index).some((one) => one.reward === reward && one.type === 'reward.issue'),
  );
  return [
    ...refused.map((answer) => `was refused: ${answer}`),
    ...(known.size < ids.length ? [`got ${ids.length - known.size} events twice`] : []),
    ...(missed ? [`missed ${missed.id}`] : []),
    ...(misplaced >= 0 ? [`got ${ids[misplaced]} where the feed has ${feed[misplaced]?.id}`] : []),
    ...(early ? [`got the revocation ${early.id} before its issue`] : []),
  ];
}
