import { compressOrders } from './compressed-orders.ts';
import {
  memoryOfOrders,
  NewerJob,
  ordersOfPayload,
  readHintPayload,
  readOrdersPayload,
  replaceOrders,
  toPayload,
  UnreadableJob,
  writeOrdersPayload,
} from './job-payload.ts';
import type { Jobs } from './stages.ts';

const request = { merchantId: 'mer_1', version: 1_795_000_000_000_000 };
const json = Buffer.from('[{"order_id":"1"}, {"order_id":",\\"orders\\":"}]');
const job = { ...request, count: 2, json };

const write = ({ json: orders, ...head }: Jobs['sync']): Buffer =>
  writeOrdersPayload(head, compressOrders({ orders: head.count, pieces: [orders] }));
const readText = (text: string) => readOrdersPayload(Buffer.from(text));
const first = { ...request, orders: [{ order_id: 'Kim' }] };

describe('The payload of a hint', () => {
  it('is read as it was written', () => {
    const batch = { merchantId: 'mer_1', batchId: 'bat_1', orders: 3 };
    expect(readHintPayload('reward-evaluation', toPayload<'reward-evaluation'>(batch))).toMatchObject(batch);
    const due = { merchantId: 'mer_1', endpointId: 'end_1' };
    expect(readHintPayload('webhook-delivery', toPayload<'webhook-delivery'>(due))).toMatchObject(due);
  });

  it('may have fields that this release does not know', () => {
    const due = { v: 1, merchantId: 'mer_1', endpointId: 'end_1', tenant: { shard: 4 } };
    expect(readHintPayload('webhook-delivery', due)).toMatchObject(due);
  });

  it('of a newer release is refused: the sweeper writes it again', () => {
    const due = { v: 2, merchantId: 'mer_1', endpointId: 'end_1' };
    expect(() => readHintPayload('webhook-delivery', due)).toThrow(UnreadableJob);
  });
});

describe('The payload of a job with orders', () => {
  it('is JSON with the orders at its end, and is read as it was written', () => {
    const text = write(job);
    const payload = JSON.parse(text.toString()) as object;
    expect(payload).toEqual({ v: 2, ...request, count: 2, orders: JSON.parse(json.toString()) as object });
    expect(Object.keys(payload).at(-1)).toBe('orders');
    expect(readOrdersPayload(text)).toEqual(job);
  });

  it('has the request and its trace', () => {
    const traced = { ...job, requestId: 'a","orders":"b', traceparent: '00-1-2-01' };
    expect(readOrdersPayload(write(traced))).toEqual(traced);
  });

  it('is read after an erasure has written it again', () => {
    const payload = JSON.parse(write(job).toString()) as { orders: object[] };
    const orders = payload.orders.slice(1);
    const text = JSON.stringify({ ...payload, count: 1, orders });
    expect(readText(text)).toEqual({ ...job, count: 1, json: Buffer.from(JSON.stringify(orders)) });
  });

  it.each([
    ['version 1', { v: 1, ...first }],
    ['version 1 from before the field', first],
    ['this version with its fields in another order', { orders: first.orders, v: 2, count: 1, ...request }],
    ['fields that this release does not know', { v: 1, ...first, tenant: { shard: 4 } }],
  ])('is read when it is of %s', (_what, payload) => {
    const expected = { ...request, count: 1, json: Buffer.from(JSON.stringify(first.orders)) };
    expect(readText(JSON.stringify(payload))).toEqual(expected);
  });

  it('of a newer release is left to its workers', () => {
    expect(() => readText(JSON.stringify({ v: 4, ...first }))).toThrow(NewerJob);
  });

  it.each([
    ['a version that was never written', { v: 0, ...first }, 'unknown version'],
    ['a version that is not a number', { v: '1', ...first }, 'unknown version'],
    ['no merchant', { v: 1, version: 1, orders: ['Kim'] }, '"merchantId" is required'],
    [
      'orders that are not a list',
      { v: 1, ...first, orders: { secret: 'Kim' } },
      '"orders" must be an array',
    ],
    ['a version of the request in text', { v: 1, ...first, version: 'Kim' }, '"version" must be a number'],
    ['no count', { v: 2, ...first }, '"count" is required'],
    ['no object', 'Kim', 'must be of type object'],
    ['nothing', null, 'must be of type object'],
  ])('with %s is refused, and the error contains no value', (_what, payload, message) => {
    const read = () => readText(JSON.stringify(payload));
    expect(read).toThrow(UnreadableJob);
    expect(read).toThrow(message);
    expect(read).not.toThrow('Kim');
  });

  it('that is no JSON is refused, and the error contains no value', () => {
    expect(() => readText('{"v":2,"merchantId":Kim,"orders":[]}')).toThrow(UnreadableJob);
    expect(() => readText('Kim')).toThrow(UnreadableJob);
    expect(() => readText('Kim')).not.toThrow('Kim');
  });

  describe('from 16 KiB on', () => {
    const orders = Array.from({ length: 200 }, (_, index) => ({
      order_id: `주문-${index}`,
      member_id: `m-${index % 7}`,
      note: 'a","orders":"b'.repeat(5),
    }));
    const large = { ...request, count: 200, json: Buffer.from(JSON.stringify(orders)) };
    const payloadOf = (text: Buffer) => JSON.parse(text.toString()) as Parameters<typeof ordersOfPayload>[0];

    it('is JSON with compressed orders, and is read as it was written', () => {
      const text = write({ ...large, requestId: 'a","orders":"b' });
      expect(text.length).toBeLessThan(large.json.length / 4);
      const { orders: compressed, ...head } = payloadOf(text);
      expect(head).toEqual({
        v: 3,
        ...request,
        count: 200,
        bytes: large.json.length,
        requestId: 'a","orders":"b',
      });
      expect(compressed).toMatch(/^[\w+/]+=*$/);
      expect(readOrdersPayload(text)).toEqual({ ...large, requestId: 'a","orders":"b' });
    });

    it('is the same in several pieces, and one does not change the other', () => {
      const half = large.json.length / 2;
      const pieces = [large.json.subarray(0, half), large.json.subarray(half)];
      const other = Buffer.from(JSON.stringify(orders.toReversed()));
      const parts = [pieces, [other]].map((ofPart) => compressOrders({ orders: 200, pieces: ofPart }));
      const { json: _, ...head } = large;
      const read = parts.map((part) => readOrdersPayload(writeOrdersPayload(head, part)).json);
      expect(read).toEqual([large.json, other]);
    });

    it('takes as much memory as its text and its orders', () => {
      const text = write(large);
      expect(memoryOfOrders(text)).toBe(text.length + large.json.length);
      expect(memoryOfOrders(write(job))).toBe(write(job).length);
      expect(memoryOfOrders(Buffer.from('{"v":3,Kim'))).toBe(10);
      for (const bytes of ['1e999', '-1', '"Kim"']) {
        const damaged = Buffer.from(`{"v":3,"bytes":${bytes},"orders":""}`);
        expect(memoryOfOrders(damaged)).toBe(damaged.length);
      }
    });

    it('is read after an erasure has written it again', () => {
      const payload = payloadOf(write(large)) as Parameters<typeof replaceOrders>[0];
      const others = ordersOfPayload(payload).filter(({ member_id: member }) => member !== 'm-3');
      const text = Buffer.from(JSON.stringify(replaceOrders(payload, others)));
      const expected = orders.filter(({ member_id: member }) => member !== 'm-3');
      expect(readOrdersPayload(text)).toEqual({
        ...request,
        count: expected.length,
        json: Buffer.from(JSON.stringify(expected)),
      });
    });

    it.each([
      ['orders of another length', { bytes: 5 }, 'its compressed orders are damaged'],
      ['orders longer than said', { bytes: 1_000_000 }, 'its compressed orders are damaged'],
      ['orders that are not compressed', { orders: 'Kim' }, 'its compressed orders are damaged'],
      ['no size', { bytes: undefined }, '"bytes" is required'],
      ['a size that nobody has', { bytes: 1e15 }, 'its compressed orders are damaged'],
      ['orders in a list', { orders: ['Kim'] }, 'it has no orders'],
    ])('with %s is refused, and the error contains no value', (_what, change, message) => {
      const { orders: compressed, ...head } = payloadOf(write(large));
      const read = () => readText(JSON.stringify({ ...head, orders: compressed, ...change }));
      expect(read).toThrow(UnreadableJob);
      expect(read).toThrow(message);
      expect(read).not.toThrow('Kim');
    });
  });

  it('of a newer release does not look as if it had no orders', () => {
    expect(() => ordersOfPayload({ v: 99, orders: [] })).toThrow(NewerJob);
  });

  it.each([
    ['whose orders are damaged', { v: 3, bytes: 20, orders: 'Kim' }],
    ['with an order that is not an object', { v: 2, orders: ['Kim'] }],
    ['without orders', { v: 2 }],
  ] as [string, Parameters<typeof ordersOfPayload>[0]][])(
    '%s does not look as if it had no orders',
    (_what, payload) => {
      const read = () => ordersOfPayload(payload);
      expect(read).toThrow(UnreadableJob);
      expect(read).not.toThrow('Kim');
    },
  );
});
