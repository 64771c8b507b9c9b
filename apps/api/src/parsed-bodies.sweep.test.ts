import { buildOrder } from '@rewardhook/testing';
import { callApi, startApiProcess, startFlow, syncPath } from '../../../tests/harness/index.ts';
import type { ApiProcess, Flow, Merchant } from '../../../tests/harness/index.ts';

describe('bodies that take more memory than the API has', () => {
  let flow: Flow;
  let merchant: Merchant;
  let api: ApiProcess;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    merchant = await flow.openMerchant();
    // As in a container with 300 MB: Node takes half of it for the heap.
    api = await startApiProcess(flow.environment, ['--max-old-space-size=150']);
  });
  afterAll(async () => {
    await api.close();
    await flow.close();
  });

  const send = (body: unknown) => callApi(api.url, syncPath, body, { key: merchant.secretKey });
  const orders = (count: number) => ({ orders: Array.from({ length: count }, () => buildOrder()) });

  it('A body of three million empty objects is refused, and other requests are accepted, also meanwhile', async () => {
    const refused = send(`{"orders":[${'{},'.repeat(3_400_000)}{}]}`);
    expect((await send(orders(1))).status).toBe(202);
    const { status, body } = await refused;
    expect([status, body.code]).toEqual([413, 'payload_too_large']);
    expect(body.message).toBe(
      'The body takes too much memory when it is parsed. Send fewer orders in a request.',
    );
    expect((await send(orders(1))).status).toBe(202);
    expect((await send(orders(1_000))).status).toBe(202);
    expect(api.isRunning()).toBe(true);
  });
});
