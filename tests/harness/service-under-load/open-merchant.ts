import { join } from 'node:path';
import { createMerchant, openAdmin } from '@rewardhook/local-stack';
import type { Stack } from '@rewardhook/local-stack';
import type { AcceptedData } from './load/accepted-data.ts';
import { referees, referrerOf } from './load/make-orders.ts';
import { openWebhook } from './open-webhook.ts';
import type { Webhook } from './open-webhook.ts';

/** A merchant under load, with what the API accepted from it and what its receivers got. */
export interface Merchant {
  merchantId: string;
  secretKey: string;
  /** Two, each of which gets every event. */
  webhooks: Webhook[];
  accepted: AcceptedData;
}

/** A percentage for the referee, which follows the order, and a fixed amount for the referrer. */
const ruleFile = join(import.meta.dirname, 'rule.json');

/** Creates a merchant with a rule and two webhooks, and links every second referee. The load links the others. */
export async function openMerchant(stack: Stack, name: string): Promise<Merchant> {
  const admin = openAdmin(stack.environment);
  const { merchantId, secretKey, signingSecret } = await createMerchant(admin, name);
  await admin('program', 'publish', '--merchant', merchantId, '--program', ruleFile);
  const webhooks = await Promise.all([0, 1].map(() => openWebhook(admin, merchantId, signingSecret)));
  const links = new Map(referees.filter((_, index) => index % 2 === 0).map((one) => [one, referrerOf(one)]));
  for (const [referee_member_id, referrer_member_id] of links) {
    const answer = await fetch(`${stack.apiUrl}/api/open/members/link/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-key': secretKey },
      body: JSON.stringify({ referee_member_id, referrer_member_id }),
    });
    if (!answer.ok) throw new Error(`a member could not be linked: ${await answer.text()}`);
  }
  const accepted = { orders: new Map(), links, grants: new Map(), moves: 0, merges: new Map() };
  return { merchantId, secretKey, webhooks, accepted };
}
