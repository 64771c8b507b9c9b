import type { FuzzMerchant } from '../service/open-merchant.ts';
import { call } from '../service/call.ts';

const apiPaths = ['orders', 'rewards', 'referrals', 'members', 'webhooks', 'events'];
const consolePaths = [
  '/webhooks',
  '/program',
  '/credentials',
  '/team',
  '/orders',
  '/rewards',
  '/members',
  '/referrals',
  '/replays',
];

/**
 * What changes without a request: the cursor of the feed contains the time, a key says when it was used, and housekeeping counts the
 * attempts of a webhook.
 */
const changing = new Set(['next', 'last_used_at', 'health']);
const textOf = (data: unknown) =>
  JSON.stringify(data, (key, value: unknown) => (changing.has(key) ? undefined : value));

/** All that a merchant can read of their data, as text, by what it is. */
export async function readEverything(
  { apiUrl, consoleUrl }: { apiUrl: string; consoleUrl: string },
  { secretKey, owner }: FuzzMerchant,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const path of apiPaths)
    found.set(path, textOf(await call(`${apiUrl}/api/open/${path}/`, { 'x-service-key': secretKey })));
  const session = { cookie: owner.cookie, 'x-rewardhook-console': '1' };
  for (const path of consolePaths)
    found.set(`console ${path}`, textOf(await call(`${consoleUrl}/api/console${path}`, session)));
  return found;
}

/** What is not as it was before, each from a little before the first difference. */
export function changesOf(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...before].flatMap(([name, was]) => {
    const is = after.get(name) ?? '';
    if (is === was) return [];
    const first = Array.from(was).findIndex((character, index) => is[index] !== character);
    const from = Math.max(0, first - 100);
    return [`${name} was …${was.slice(from, from + 300)}… and is …${is.slice(from, from + 300)}…`];
  });
}
