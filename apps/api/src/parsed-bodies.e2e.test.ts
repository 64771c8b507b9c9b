import { buildOrder } from '@rewardhook/testing';
import { callWithRetries, syncPath } from '../../../tests/harness/call-api.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import { startProcess } from '../../../tests/harness/start-process.ts';
import type { AppProcess } from '../../../tests/harness/start-process.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';

describe('bodies that take much memory when they are parsed', () => {
  let flow: Flow;
  let merchant: Merchant;
  let other: Merchant;
  let api: AppProcess;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    [merchant, other] = [await flow.openMerchant(), await flow.openMerchant()];
    // The heap of a container with 512 MB, of which Node takes half.
    api = await startProcess('api', flow.environment, { NODE_OPTIONS: '--max-old-space-size=256' });
  });
  afterAll(async () => {
    await api.close();
    await flow.close();
  });

  const send = (body: unknown, { secretKey } = merchant) =>
    callWithRetries(api.url, syncPath, body, { key: secretKey });
  const orders = (count: number) => ({ orders: Array.from({ length: count }, () => buildOrder()) });

  it.each([
    ['more than 200,000 values', 690_000, { body: 'must not have more than 200000 values' }],
    ['nearly 200,000 empty objects', 99_000, { orders: expect.stringContaining('at most 1000 orders') }],
  ])('Bodies of %s are refused, and orders of others are accepted meanwhile', async (_, count, params) => {
    const body = `{"orders":[${'{},'.repeat(count)}{}]}`;
    const done = new AbortController();
    const sendAll = async () => {
      const answers = [];
      for (let round = 0; round < 10; round += 1)
        answers.push(...(await Promise.all([send(body), send(body), send(body)])));
      return answers;
    };
    const refused = sendAll().finally(() => done.abort());
    let accepted = 0;
    while (!done.signal.aborted) {
      expect((await send(orders(1), other)).status).toBe(202);
      accepted += 1;
    }
    for (const answer of await refused) expect([answer.status, answer.body.params]).toEqual([400, params]);
    expect(accepted).toBeGreaterThan(3);
    expect((await send(orders(1_000))).status).toBe(202);
    expect(api.isRunning()).toBe(true);
    expect(api.peakMegabytes()).toBeLessThan(450);
  });
});
