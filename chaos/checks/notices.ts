import { groupBy } from '../ledger/group-by.ts';
import { eventOf } from '../ledger/received-event.ts';
import { forEachShop } from './check.ts';
import type { Check } from './check.ts';

const dayMs = 86_400_000;

/** A merchant is notified once of a webhook that fails. */
export const oneNoticeADay: Check = {
  name: 'one-notice-a-day',
  promise: 'At most one notice a day says that a webhook is failing',
  check: (history) =>
    forEachShop(history, ({ received }) => {
      const events = received.map(eventOf);
      const failing = events.filter(({ type }) => type === 'endpoint.failing');
      const byWebhook = groupBy(failing, ({ data }) => data.endpoint?.id);
      const violations = [...byWebhook].flatMap(([webhook, notices]) => {
        const times = [...new Map(notices.map((one) => [one.id, Date.parse(one.created_at)])).values()];
        times.sort((a, b) => a - b);
        return times.some((time, index) => time - (times[index - 1] ?? Number.NEGATIVE_INFINITY) < dayMs)
          ? [{ text: `${times.length} notices say that ${webhook} is failing` }]
          : [];
      });
      return { count: byWebhook.size, violations };
    }),
};
