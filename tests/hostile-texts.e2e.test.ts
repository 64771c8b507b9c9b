import type Joi from 'joi';
import { buildOrder } from '@rewardhook/testing';
import { createRoutes } from '../apps/console/src/create-routes.ts';
import { openConsole } from '../apps/console/testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant } from '../apps/console/testing/open-console.ts';
import { bootPath, linkPath, syncPath } from './harness/call-api.ts';
import { startFlow } from './harness/start-flow.ts';
import type { Flow } from './harness/start-flow.ts';

/**
 * Repeated, these make regular expressions backtrack: characters that quantifiers match, and the characters that
 * usually follow them. The character at the end prevents a match.
 */
const units = [' ', 'a', 'a.', 'a@', '\n', '1', ':', '.'];
const unitsOfHeaders = [...units, '\t', '-', '"', ',', '}', 'a: ', 'a:"'];
const repeated = (unit: string, length: number) =>
  `${unit.repeat(length / unit.length).slice(0, length - 1)}\u0000`;

/** The texts of a length that are sent. */
type Texts = (length: number) => string[];
const hostileTexts: Texts = (length) => units.map((unit) => repeated(unit, length));
/** The same texts after the beginning of a header. */
const hostileHeaders: Texts = (length) => [
  ...unitsOfHeaders.map((unit) => repeated(unit, length)),
  ...unitsOfHeaders.map((unit) => `a:${repeated(unit, length - 2)}`),
];
const longest = 16_384;

/** The names of the fields in a schema of the console. */
const fieldsOf = (schema: Joi.ObjectSchema) => Object.keys((schema.describe() as { keys: object }).keys);

/** One request with the text in all of its fields. */
type Send = (text: string) => Promise<{ status: number }>;

/** The requests, and texts, that took more than ten times as long as a plain text of the same length, or failed. */
async function slowOnes(requests: Record<string, Send>, lengths: number[], texts: Texts): Promise<string[]> {
  const slow: string[] = [];
  for (const [name, send] of Object.entries(requests)) {
    for (const length of lengths) {
      const timed = async (text: string) => {
        const started = performance.now();
        const { status } = await send(text);
        return { status, ms: performance.now() - started };
      };
      const usual = [];
      for (let i = 0; i < 2; i++) usual.push((await timed('x'.repeat(length))).ms);
      // Up to 50 ms are allowed for pauses of a busy machine. A text that takes longer is tried three more times.
      const most = 10 * Math.min(...usual) + 50;
      for (const text of texts(length)) {
        let found = await timed(text);
        for (let i = 0; i < 3 && found.ms > most && found.ms < 10 * most; i++) found = await timed(text);
        if (found.ms > most || found.status >= 500)
          slow.push(`${name} with ${JSON.stringify(text.slice(0, 8))}: ${found.status}, ${found.ms} ms`);
      }
      if (slow.length > 0) return slow;
    }
  }
  return slow;
}

describe('Hostile text', () => {
  let flow: Flow;
  let running: RunningConsole;
  let shop: SignedUpMerchant;
  beforeAll(async () => {
    flow = await startFlow({ workers: false, trustedProxies: 1 });
    running = await openConsole(flow.environment);
    shop = await running.signUp();
  });
  afterAll(async () => {
    await running.close();
    await flow.close();
  });

  it('takes the signature checker no longer than plain text of 16,384 characters', async () => {
    const check = (headers: string, body: string) => shop.browser.post('/signature-check', { headers, body });
    // Small first: a regular expression that is cubic fails the test instead of stopping it for an hour.
    const lengths = [2_048, longest];
    const found = [
      ...(await slowOnes({ headers: (text) => check(text, '{}') }, lengths, hostileHeaders)),
      ...(await slowOnes(
        {
          'the value of a header': (text) =>
            check(`X-Service-Signature: ${text}\nwebhook-signature: ${text}`, '{}'),
          body: (text) => check(`sha256=${'0'.repeat(64)}`, text),
        },
        lengths,
        hostileTexts,
      )),
    ];
    expect(found).toEqual([]);
  });

  it('in more headers than a webhook has is refused by the signature checker', async () => {
    for (const headers of ['a: b\n'.repeat(201), `a: ${'b'.repeat(4_096)}`]) {
      const { status, body } = await shop.browser.post('/signature-check', { headers, body: '{}' });
      const params = { headers: 'must have at most 200 lines of at most 4096 characters' };
      expect([status, body]).toEqual([400, expect.objectContaining({ params })]);
    }
  });

  it('takes every route of the console no longer than plain text', async () => {
    const requests: Record<string, Send> = {};
    for (const { method, path, body, query } of createRoutes(running.dependencies)) {
      if (body) {
        const names = fieldsOf(body);
        const with_ = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]));
        const target = path.replaceAll(/:\w+/g, 'none');
        requests[`${method} ${path}`] = (text) => shop.browser.send(method, target, with_(text));
        if (names.includes('allowed_origins'))
          requests[`${method} ${path} in a list`] = (text) =>
            shop.browser.send(method, target, with_([text]));
      }
      if (query)
        requests[`${method} ${path}?`] = (text) => {
          const given = fieldsOf(query).map((name) => `${name}=${encodeURIComponent(text.slice(0, 500))}`);
          return shop.browser.send(method, `${path.replaceAll(/:\w+/g, 'none')}?${given.join('&')}`);
        };
    }
    expect(Object.keys(requests).length).toBeGreaterThan(20);
    expect(await slowOnes(requests, [longest], (length) => hostileTexts(length).slice(0, 4))).toEqual([]);
  });

  it('of 20,000 JSON levels makes no route of the console fail', async () => {
    const failed: string[] = [];
    for (const nested of [
      '['.repeat(20_000) + ']'.repeat(20_000),
      '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000),
    ]) {
      const inSignatureCheck = await shop.browser.post('/signature-check', {
        headers: `sha256=${'0'.repeat(64)}`,
        body: nested,
      });
      expect([inSignatureCheck.status, inSignatureCheck.body]).toEqual([200, expect.anything()]);
      for (const { method, path, body } of createRoutes(running.dependencies)) {
        if (!body) continue;
        const fields = fieldsOf(body).map((name) => `${JSON.stringify(name)}:${nested}`);
        for (const text of [nested, `{${fields.join()}}`, `{"unknown":${nested}}`]) {
          const json = { 'content-type': 'application/json' };
          const { status } = await shop.browser.send(method, path.replaceAll(/:\w+/g, 'none'), text, json);
          if (status >= 500) failed.push(`${method} ${path}: ${status}`);
        }
      }
    }
    expect(failed).toEqual([]);
  });

  it('takes every request of the open API no longer than plain text', async () => {
    const { secretKey, publicKey } = shop.merchant;
    const item = (text: string) => ({ product_id: text, product_name: text, sku: text, cancelled_at: text });
    const order = (text: string) => ({
      ...buildOrder({ order_id: text, member_id: text }),
      ...{ order_date: text, paid_at: text, cancelled_at: text, returned_at: text },
      items: [item(text)],
    });
    const short = (text: string) => encodeURIComponent(text.slice(0, 2_000));
    const header = (text: string) => text.replaceAll(/[^ -~]/g, ' ').slice(0, 8_000);
    const found = await slowOnes(
      {
        [syncPath]: (text) => flow.call(syncPath, { orders: [order(text)] }, { key: secretKey }),
        [linkPath]: (text) =>
          flow.call(linkPath, { referrer_member_id: text, referee_member_id: text }, { key: secretKey }),
        [bootPath]: (text) =>
          flow.call(
            bootPath,
            { user_id: text, user_hash: text, referral_code: text, click_id: text },
            { key: publicKey },
          ),
        events: (text) =>
          flow.call(`/api/open/events/?after=${short(text)}&types=${short(text)}`, undefined, {
            key: secretKey,
            method: 'GET',
          }),
        explain: (text) =>
          flow.call(`/api/open/orders/${short(text)}/explain/`, undefined, {
            key: secretKey,
            method: 'GET',
          }),
        'share link': (text) => flow.call(`/r/${short(text)}`, undefined, { method: 'GET' }),
        headers: (text) =>
          flow.call(bootPath, '{}', {
            key: header(text),
            headers: { 'content-type': 'application/json', origin: header(text) },
          }),
        'x-forwarded-for': (text) =>
          flow.call(
            bootPath,
            { user_id: 'u' },
            { key: publicKey, headers: { 'x-forwarded-for': header(text) } },
          ),
      },
      [longest],
      hostileTexts,
    );
    expect(found).toEqual([]);
  });
});
