import { NewerJob, readPayload, toPayload, UnreadableJob } from './job-payload.ts';

const job = { merchantId: 'mer_1', version: 1_795_000_000_000_000, orders: [] };

describe('The payload of a job', () => {
  it('is read as it was written', () => {
    expect(readPayload('sync', toPayload<'sync'>(job))).toEqual({ v: 1, ...job });
    const batch = { merchantId: 'mer_1', batchId: 'bat_1', orders: 3 };
    expect(readPayload('reward-evaluation', toPayload<'reward-evaluation'>(batch))).toMatchObject(batch);
    const due = { merchantId: 'mer_1', endpointId: 'end_1' };
    expect(readPayload('webhook-delivery', toPayload<'webhook-delivery'>(due))).toMatchObject(due);
  });

  it('without a version, as earlier releases wrote it, is read as version 1', () => {
    expect(readPayload('sync', job)).toEqual(job);
  });

  it('may have fields that this release does not know', () => {
    expect(readPayload('sync', { v: 1, ...job, tenant: { shard: 4 } })).toMatchObject(job);
  });

  it('of a newer release is left to its workers if it has the only copy of orders; hints are written again', () => {
    expect(() => readPayload('sync', { v: 2, ...job })).toThrow(NewerJob);
    const due = { v: 2, merchantId: 'mer_1', endpointId: 'end_1' };
    expect(() => readPayload('webhook-delivery', due)).toThrow(UnreadableJob);
  });

  it.each([
    ['a version that was never written', { v: 0, ...job }, 'unknown version'],
    ['a version that is not a number', { v: '1', ...job }, 'unknown version'],
    ['no merchant', { v: 1, version: 1, orders: [] }, '"merchantId" is required'],
    ['orders that are not a list', { v: 1, ...job, orders: { secret: 'Kim' } }, '"orders" must be an array'],
    ['a version of the request in text', { v: 1, ...job, version: '12' }, '"version" must be a number'],
    ['no object', 'Kim', 'must be of type object'],
    ['nothing', null, 'must be of type object'],
  ])('with %s is refused, and the error contains no value', (_what, payload, message) => {
    const read = () => readPayload('sync', payload);
    expect(read).toThrow(UnreadableJob);
    expect(read).toThrow(message);
    expect(read).not.toThrow('Kim');
  });
});
