import type { Queryable } from '../client/client.ts';

/** A URL without its protocol. */
export const urlLabel = (url: string): string => url.replace(/^https?:\/\//, '');

/** The most webhooks of a merchant that are compared. */
const mostCompared = 1_000;

/**
 * What tells each webhook of a merchant apart from the others that are not deleted, by id: its name, or of its URL the host, or, if others
 * have the same host, what follows the directories that these have in common.
 */
export async function readWebhookLabels(
  database: Queryable,
  merchantId: string,
): Promise<Map<string, string>> {
  const webhooks = await database.query<{ id: string; name: string | null; url: string }>(
    `SELECT id, name, url FROM endpoints WHERE merchant_id = $1 AND deleted_at IS NULL LIMIT ${mostCompared}`,
    [merchantId],
  );
  const urls = webhooks.map(({ url }) => urlLabel(url));
  const short = urls.map((url) => shortLabel(url, urls));
  return new Map(
    webhooks.map(({ id, name }, index) => {
      const label = short[index] as string;
      const isUnique = short.filter((other) => other === label).length === 1;
      return [id, name ?? (isUnique ? label : (urls[index] as string))];
    }),
  );
}

function shortLabel(url: string, urls: string[]): string {
  const host = hostOf(url);
  const sameHost = urls.filter((other) => hostOf(other) === host);
  if (sameHost.length < 2) return host;
  const common = sameHost.reduce((start, other) => commonStart(start, other));
  return url.slice(common.lastIndexOf('/'));
}

const hostOf = (label: string) => label.split('/', 1)[0] ?? label;

function commonStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return one.slice(0, length);
}
