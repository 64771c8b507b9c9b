import { createHmac } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMerchant } from '@rewardhook/local-stack';
import { now } from '../ledger/clock.ts';
import type { SentOrder } from '../ledger/entries.ts';
import type { Service } from '../service/open-service.ts';
import { openApiClient } from './call-api.ts';
import type { Answer, ApiCall, ApiClient } from './call-api.ts';
import { startReceiver } from './start-receiver.ts';
import type { Receiver } from './start-receiver.ts';

/** A rule as a shop publishes it; missing fields have the defaults of docs/rewards.md. */
export type Rule = Record<string, unknown>;

/** A shop of a scenario. */
export interface Shop extends ApiClient {
  name: string;
  merchantId: string;
  secretKey: string;
  publicKey: string;
  identitySecret: string;
  signingSecret: string;
  webhooks: ShopWebhook[];
  /** Sends orders once. */
  sync(orders: SentOrder[], options?: Partial<ApiCall>): Promise<Answer>;
  /** Sends orders until they are accepted. @throws when they are refused, or not accepted in time */
  syncUntilAccepted(orders: SentOrder[], options?: Partial<ApiCall>): Promise<void>;
  /** Sends orders until they are refused. @throws when they are accepted */
  syncUntilRefused(orders: SentOrder[]): Promise<void>;
  /** Links a member until it is done. @throws when it is refused */
  link(referee: string, referrer: string, options?: Partial<ApiCall>): Promise<void>;
  /** Boots a member, with the code of their referrer if there is one. Returns their own code. @throws when it is refused */
  boot(member: string, code?: string, options?: Partial<ApiCall>): Promise<string>;
  /** Publishes a rule. */
  publish(rule: Rule): Promise<void>;
  /** Registers another webhook, with a receiver of its own. */
  addWebhook(options?: { events?: string[] }): Promise<ShopWebhook>;
  close(): Promise<void>;
}

/** A registered URL with the receiver behind it. */
export interface ShopWebhook {
  id: string;
  receiver: Receiver;
}

export interface ShopOptions {
  /** Default: the rule of a new shop. */
  rule?: Rule;
  /** Default Asia/Seoul. */
  timeZone?: string;
  /** How many webhooks are registered for both types of rewards; default 1. */
  webhooks?: number;
}

const bothTypes = ['reward.issue', 'reward.revoke'];

/** Creates a shop with the command line of the operator. The name is unique in a run. */
export async function openShop(
  service: Service,
  scenario: string,
  name: string,
  options: ShopOptions = {},
): Promise<Shop> {
  const { ledger, admin, stack, senders } = service;
  const { rule, timeZone = 'Asia/Seoul', webhooks: number = 1 } = options;
  const created = await (timeZone === 'Asia/Seoul'
    ? createMerchant(admin, name)
    : admin<Awaited<ReturnType<typeof createMerchant>>>(
        'merchant',
        'create',
        '--name',
        name,
        '--timezone',
        timeZone,
      ));
  const { merchantId, secretKey, publicKey, identitySecret, signingSecret } = created;
  ledger.write({ kind: 'shop', shop: name, scenario, merchantId, timeZone, signingSecret });
  ledger.write({ kind: 'rule', until: now(), shop: name, version: 1, rule: {} });
  const client = openApiClient({ ledger, senders, apiUrls: stack.apiUrls, shop: name, key: secretKey });
  const webhooks: ShopWebhook[] = [];
  let version = 1;

  const sync = (orders: SentOrder[], more: Partial<ApiCall> = {}): ApiCall => ({
    call: 'sync',
    path: '/api/open/orders/sync/',
    body: { orders },
    ...more,
  });
  const requireOk = (what: string, answer: Answer) => {
    if (answer.outcome !== 'ok')
      throw new Error(`${what} of ${name} was refused: ${JSON.stringify(answer.body)}`);
  };
  const shop: Shop = {
    name,
    merchantId,
    secretKey,
    publicKey,
    identitySecret,
    signingSecret,
    webhooks,
    ...client,
    sync: (orders, more) => client.call(sync(orders, more)),
    syncUntilAccepted: async (orders, more) => requireOk('orders', await client.repeat(sync(orders, more))),
    async syncUntilRefused(orders) {
      const { outcome } = await client.repeat(sync(orders));
      if (outcome !== 'refused') throw new Error(`orders of ${name} that are wrong were accepted`);
    },
    async link(referee, referrer, more = {}) {
      const body = { referee_member_id: referee, referrer_member_id: referrer };
      const call = { call: 'link', path: '/api/open/members/link/', body, ...more };
      requireOk(`the link of ${referee}`, await client.repeat(call));
    },
    async boot(member, code, more = {}) {
      const hash = createHmac('sha256', identitySecret).update(member, 'utf8').digest('hex');
      const body = {
        user_id: member,
        user_hash: hash,
        ...(code === undefined ? {} : { referral_code: code }),
      };
      const call = { call: 'boot', path: '/api/open/members/boot/', body, key: publicKey, ...more };
      const answer = await client.repeat(call);
      requireOk(`the boot of ${member}`, answer);
      return (answer.body as { data: { referral_code: string } }).data.referral_code;
    },
    async publish(published) {
      const folder = join(ledger.folder, 'rules');
      mkdirSync(folder, { recursive: true });
      version += 1;
      const file = join(folder, `${name.replaceAll(/\W/g, '-')}-${version}.json`);
      writeFileSync(file, JSON.stringify(published));
      const at = now();
      await admin('program', 'publish', '--merchant', merchantId, '--program', file);
      ledger.write({ kind: 'rule', at, until: now(), shop: name, version, rule: published });
    },
    async addWebhook({ events = bothTypes } = {}) {
      let id = '';
      const receiver = await startReceiver(ledger, name, () => id);
      const words = ['webhook', 'add', '--merchant', merchantId, '--url', receiver.url];
      ({ webhookId: id } = await admin<{ webhookId: string }>(
        ...words,
        // All shops of a run are on one host, and their URLs are new.
        '--events',
        events.join(),
        '--ignore-limits',
        'true',
      ));
      ledger.write({ kind: 'webhook', shop: name, webhook: id, events });
      const webhook = { id, receiver };
      webhooks.push(webhook);
      return webhook;
    },
    close: async () => void (await Promise.all(webhooks.map(({ receiver }) => receiver.close()))),
  };
  try {
    await Promise.all([
      ...(rule ? [shop.publish(rule)] : []),
      ...Array.from({ length: number }, () => shop.addWebhook()),
    ]);
    return shop;
  } catch (error) {
    await shop.close();
    throw error;
  }
}
