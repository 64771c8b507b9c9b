import { join } from 'node:path';
import { validateSyncBody } from '@rewardhook/contract';
import type { SyncRequestLimits, SyncRequestValidation } from '@rewardhook/contract';
import type { Logger } from '@rewardhook/process';
import { buildOrder } from '@rewardhook/testing';
import { openOrderValidator } from './order-validator.ts';
import type { OrderValidator } from './order-validator.ts';

const limits: SyncRequestLimits = { maxOrdersPerPart: 250, timeZone: 'Asia/Seoul' };

const orders = (count: number, fields: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ ...buildOrder(), order_id: `ORD-${index}`, ...fields }));

/** With the JSON of the parts: Jest takes seconds to compare their bytes. */
const asText = (validation: SyncRequestValidation) =>
  validation.kind === 'valid'
    ? {
        ...validation,
        parts: validation.parts.map(({ pieces, ...part }) => ({
          ...part,
          json: Buffer.concat(pieces).toString(),
        })),
      }
    : validation;

/** A request of this number of orders: 1 is validated at once, 50 on the event loop after others, 251 and more in the thread. */
const bodyOf = (value: object) => Buffer.from(JSON.stringify(value));

const log = { error: () => log } as unknown as Logger;

describe('openOrderValidator', () => {
  let validator: OrderValidator;
  beforeAll(() => {
    validator = openOrderValidator(log);
  });
  afterAll(() => validator.close());

  const validate = (body: Buffer, onStart = () => {}) =>
    validator.validate('mer_a', Buffer.from(body), { limits, onStart });

  describe.each([1, 50, 251, 1_000])('number of orders: %d', (count) => {
    it.each<[string, object]>([
      ['that are valid', { orders: orders(count) }],
      ['that are printed in canonical form', { orders: orders(count, { order_amount: 1e5, note: '선물' }) }],
      ['that are invalid', { orders: orders(count, { paid_amount: -1 }) }],
      [
        'that are sent twice',
        { orders: [...orders(Math.ceil(count / 2)), ...orders(Math.floor(count / 2))] },
      ],
      ['beside another field', { orders: orders(count), page: 1 }],
    ])('The result of a body of orders %s is that of validateSyncBody', async (_, value) => {
      const body = bodyOf(value);
      expect(asText(await validate(body))).toEqual(asText(validateSyncBody(body, limits)));
    });
  });

  it('A body of too many orders is refused', async () => {
    expect(await validate(bodyOf({ orders: orders(1_001) }))).toMatchObject({ kind: 'invalid' });
  });

  it('A big body that is no JSON is refused', async () => {
    expect(await validate(Buffer.alloc(100_000, '['))).toMatchObject({ kind: 'invalid' });
  });

  it('A small body with many invalid fields has the result of validateSyncBody', async () => {
    for (const count of [32, 33, 40, 400]) {
      const body = bodyOf({ orders: Array.from({ length: count }, () => ({})) });
      expect(await validate(body)).toEqual(validateSyncBody(body, limits));
    }
  });

  const dayOf = (index: number) => new Date(Date.UTC(1950, 0, index)).toISOString().slice(0, 19);
  it.each<[string, object]>([
    ['1,000 orders', { orders: orders(1_000) }],
    [
      '100 orders of days whose offset from UTC is not known',
      {
        orders: orders(100).map((order, index) => ({ ...order, items: [], order_date: dayOf(index) })),
      },
    ],
    [
      'one order with 1,000 invalid items',
      {
        orders: orders(1, { items: Array.from({ length: 1_000 }, () => ({})) }),
      },
    ],
  ])(
    'A body that takes long is validated in the thread, to which its bytes are moved: %s',
    async (_, value) => {
      // A small Buffer can share its memory with others, which is not moved.
      const body = Buffer.from(new Uint8Array(bodyOf(value)).buffer);
      await validator.validate('mer_a', body, { limits, onStart: () => {} });
      expect(body).toHaveLength(0);
    },
  );

  it.each([1, 50])('A body of %d orders is validated on the event loop', async (count) => {
    const body = bodyOf({ orders: orders(count) });
    await validator.validate('mer_a', body, { limits, onStart: () => {} });
    expect(body).not.toHaveLength(0);
  });

  it('Many big bodies at a time are all validated', async () => {
    const bodies = Array.from({ length: 20 }, (_, index) => bodyOf({ orders: orders(300 + index) }));
    const validations = await Promise.all(bodies.map((body) => validate(body)));
    expect(validations.map((validation) => validation.kind === 'valid' && validation.count)).toEqual(
      bodies.map((_, index) => 300 + index),
    );
  });

  it.each([1, 50, 300])(
    'A body that is refused when it need not wait any more is not validated, and the next one is (number of orders: %d)',
    async (count) => {
      const body = bodyOf({ orders: orders(count) });
      const refuse = () => {
        throw new Error('too late');
      };
      await expect(validate(body, refuse)).rejects.toThrow('too late');
      expect(await validate(body)).toMatchObject({ kind: 'valid', count });
    },
  );

  it.each(['no-such-file', 'fixtures/failing-thread'])(
    'A body is refused when the thread cannot start (%s), and so is the next one',
    async (name) => {
      const errors: string[] = [];
      const recording = { error: (message: string) => errors.push(message) } as unknown as Logger;
      const failing = openOrderValidator(recording, join(import.meta.dirname, `${name}.ts`));
      for (let body = 1; body <= 2; body += 1) {
        const options = { limits, onStart: () => {} };
        await expect(failing.validate('mer_a', bodyOf({ orders: orders(300) }), options)).rejects.toThrow();
        expect(errors).toHaveLength(body);
      }
      await failing.close();
    },
  );
});
