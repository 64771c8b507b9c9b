import { buildOrder } from '@rewardhook/testing';
import { OtherFormat, parseOrders, readPayload, toPayload, UnreadableJob } from './job-payload.ts';
import type { Jobs } from './stages.ts';

const orders = [buildOrder({ order_id: '선물 "1"' })];
const sync: Jobs['sync'] = { merchantId: 'mer_1', version: 7, count: 1, orders: JSON.stringify(orders) };

const errorOf = (run: () => unknown): unknown => {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('The payload of a job', () => {
  it('is read as it was written, with its orders', () => {
    const read = readPayload('sync', JSON.parse(JSON.stringify(toPayload<'sync'>(sync))));
    expect(read).toMatchObject(sync);
    expect(parseOrders(read)).toEqual(orders);
  });

  it('keeps a field that this release does not know', () => {
    const payload = toPayload<'webhook-delivery'>({ merchantId: 'mer_1', endpointId: 'whk_1' });
    expect(readPayload('webhook-delivery', { ...payload, later: 1 })).toMatchObject({ later: 1 });
  });

  it('is refused when it has another format, which another release can read', () => {
    expect(errorOf(() => readPayload('sync', { ...toPayload<'sync'>(sync), v: 2 }))).toBeInstanceOf(
      OtherFormat,
    );
  });

  it.each([
    ['no object', null],
    ['no merchant', { ...sync, merchantId: undefined }],
    ['no orders', { ...sync, orders: undefined }],
    ['orders that are not a text', { ...sync, orders }],
    ['a version that is a text', { ...sync, version: '7' }],
  ])('is refused without naming a value when it has %s', (_what, payload) => {
    const error = errorOf(() => readPayload('sync', payload));
    expect(error).toBeInstanceOf(UnreadableJob);
    expect(String(error)).not.toContain('선물');
  });

  it.each(['{', '{}', '[null]', '["선물"]'])('has no orders when their text is %s', (text) => {
    const error = errorOf(() => parseOrders({ orders: text }));
    expect(error).toBeInstanceOf(UnreadableJob);
    expect(String(error)).not.toContain('선물');
  });
});
