import { clockTolerance } from '../ledger/clock.ts';
import type { ShopHistory } from '../ledger/read-history.ts';
import { forEachShop } from './check.ts';
import type { Check } from './check.ts';

/** How long a request that was claimed before a pause may take to arrive, in milliseconds. */
const inFlightMs = 1_000;

/** What an operator has paused is not sent. That it is sent afterwards is `delivered`. */
export const nothingSentWhilePaused: Check = {
  name: 'nothing-sent-while-paused',
  promise: 'While an operator has paused a shop, nothing is sent to its webhooks',
  check: (history) =>
    forEachShop(history, (shop) => {
      const pauses = pausesOf(shop);
      const violations = shop.received
        .filter(({ at }) => pauses.some(({ from, until }) => at > from + inFlightMs && at < until))
        .map(({ at, webhook }) => ({
          text: `webhook ${webhook} got a request at ${new Date(at).toISOString()}, while the shop was paused`,
        }));
      return { count: pauses.length, violations };
    }),
};

/** From the answer to a pause until the resumption was sent. */
function pausesOf({ acts }: ShopHistory): { from: number; until: number }[] {
  return acts
    .filter(({ act }) => act === 'pause')
    .map(({ until: from }) => ({
      from,
      until: acts.find(({ act, at }) => act === 'resume' && at >= from)?.at ?? Number.POSITIVE_INFINITY,
    }));
}

/** Times are shown as they were, whatever the time zone of server or session. */
export const timesShown: Check = {
  name: 'times-shown',
  promise:
    'The time at which a version of a rule is shown to be published lies between the command and its answer',
  check: (history) =>
    forEachShop(history, (shop) => {
      const shown = new Map(
        shop
          .observed<{ version: number; publishedAt: string }>('versions')
          .map(({ version, publishedAt }) => [version, publishedAt]),
      );
      // The first version is that of a new shop.
      const published = shop.rules.filter(({ version }) => version > 1 && shown.has(version));
      const violations = published.flatMap(({ version, at, until }) => {
        const time = Date.parse(shown.get(version) ?? '');
        if (time >= at - clockTolerance && time <= until + clockTolerance) return [];
        const [from, to] = [at, until].map((one) => new Date(one).toISOString());
        const text = `version ${version} is shown as published at ${shown.get(version)}, and was between ${from} and ${to}`;
        return [{ text }];
      });
      return { count: published.length, violations };
    }),
};
