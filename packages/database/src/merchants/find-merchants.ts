import type { Queryable } from '../client/client.ts';

/** What an operator knows of a merchant. */
export interface MerchantSearch {
  /** The address of a user of the merchant, or its contact address. */
  email?: string | undefined;
  /** A part of the URL of a webhook, or of the landing URL. */
  url?: string | undefined;
  /** The last four characters of an API key: no more of a secret one is stored. */
  keyEnds?: string | undefined;
  /** The id of an order. */
  orderId?: string | undefined;
}

/** A merchant that was found, of either side. */
export interface FoundMerchant {
  id: string;
  name: string;
  /** What of it was found: the id of a user, webhook, key or order, or `contact` or `landing_url`. */
  found: string;
}

/** At most this many are found. */
const maxFound = 100;

const byEmail = `
  SELECT t.merchant_id AS id, u.id AS found FROM users u JOIN memberships t ON t.user_id = u.id WHERE u.email = $1
  UNION ALL SELECT id, 'contact' FROM merchants WHERE lower(contact_email) = $1`;

const byUrl = `
  SELECT merchant_id AS id, id AS found FROM endpoints WHERE deleted_at IS NULL AND strpos(url, $1) > 0
  UNION ALL SELECT id, 'landing_url' FROM merchants WHERE strpos(landing_url, $1) > 0`;

const byKey = `SELECT merchant_id AS id, id AS found FROM api_keys WHERE last_four = $1`;

/** One look-up by the primary key for each merchant. */
const byOrder = `
  SELECT m.id, o.order_id AS found FROM merchants m
  CROSS JOIN LATERAL (SELECT order_id FROM orders WHERE merchant_id = m.id AND order_id = $1 OFFSET 0) o`;

/** Finds merchants by one thing that is known of them, newest first. */
export function findMerchants(
  database: Queryable,
  { email, url, keyEnds, orderId }: MerchantSearch,
): Promise<FoundMerchant[]> {
  const [sql, value] =
    email !== undefined
      ? [byEmail, email]
      : url !== undefined
        ? [byUrl, url]
        : keyEnds !== undefined
          ? [byKey, keyEnds]
          : [byOrder, orderId];
  return database.query<FoundMerchant & Record<string, unknown>>(
    `SELECT m.id, m.name, found.found FROM (${sql}) found JOIN merchants m ON m.id = found.id
     ORDER BY m.created_at DESC, m.id, found.found LIMIT ${maxFound}`,
    [value],
  );
}

/** A webhook of any merchant. */
export interface FoundWebhook {
  merchantId: string;
  merchantName: string;
  webhookId: string;
  url: string;
  /** Of several states, the first of disabled, paused and failing (its breaker is open) takes precedence. */
  status: 'active' | 'paused' | 'failing' | 'disabled';
}

/** Finds the webhooks of all merchants whose URL contains a text, newest first. */
export function findWebhooks(database: Queryable, url: string): Promise<FoundWebhook[]> {
  return database.query<FoundWebhook & Record<string, unknown>>(
    `SELECT p.merchant_id AS "merchantId", m.name AS "merchantName", p.id AS "webhookId", p.url,
       CASE WHEN p.disabled_at IS NOT NULL THEN 'disabled' WHEN p.paused_at IS NOT NULL THEN 'paused'
         WHEN p.breaker_opened_at IS NOT NULL THEN 'failing' ELSE 'active' END AS status
     FROM endpoints p JOIN merchants m ON m.id = p.merchant_id
     WHERE p.deleted_at IS NULL AND strpos(p.url, $1) > 0
     ORDER BY p.created_at DESC, p.id LIMIT ${maxFound}`,
    [url],
  );
}
