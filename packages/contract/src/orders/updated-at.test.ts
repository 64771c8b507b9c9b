import { validate } from '../../testing/validation.ts';
import { validOrder } from '../../testing/valid-order.ts';

async function read(orders: unknown[]) {
  const result = await validate({ orders });
  if (result.kind !== 'valid') throw new Error(JSON.stringify(result.params));
  const kept = JSON.parse(result.orders.json) as { paid_amount: number; updated_at: string | null }[];
  return { kept, warnings: result.warnings?.warnings };
}

const state = (paid_amount: number, updated_at: unknown) => validOrder({ paid_amount, updated_at });

describe('The updated_at of an order', () => {
  it('is optional, and is read like the other date-times', async () => {
    const { kept, warnings } = await read([
      validOrder(),
      validOrder({ order_id: '2', updated_at: null }),
      validOrder({ order_id: '3', updated_at: '20261121T100000,5Z' }),
    ]);
    expect(kept.map(({ updated_at }) => updated_at)).toEqual([null, null, '2026-11-21T10:00:00.5Z']);
    expect(warnings).toBeUndefined();
  });

  it.each(['yesterday', '2026-11-21', 1_763_000_000, {}, true, ''])(
    'that is %p counts as absent, with a warning, and is an error in strict handling',
    async (value) => {
      const message =
        'must be an ISO 8601 date-time such as 2026-11-21T10:00:00+09:00; another value is ignored';
      const { kept, warnings } = await read([state(1, value)]);
      expect(kept[0]?.updated_at).toBeNull();
      expect(warnings).toEqual({ 'orders[0].updated_at': message });
      expect(await validate({ orders: [state(1, value)] }, { strict: true })).toMatchObject({
        kind: 'invalid',
        params: { 'orders[0].updated_at': message },
      });
    },
  );

  it.each([
    ['the newer one is kept', '2026-11-21T10:00:01Z', '2026-11-21T10:00:00Z', 1],
    [
      'the later sent one is kept when both are equal',
      '2026-11-21T10:00:00Z',
      '2026-11-21T19:00:00+09:00',
      2,
    ],
    ['microseconds count', '2026-11-21T10:00:00.000002Z', '2026-11-21T10:00:00.000001Z', 1],
    ['one without a time is newer than one from before the request', null, '2026-11-21T10:00:00Z', 1],
    ['times in the future count as now', '2999-01-01T00:00:00Z', null, 2],
  ])('decides between two states of one request: %s', async (_rule, first, second, winner) => {
    const { kept, warnings } = await read([state(1, first), state(2, second)]);
    expect(kept.map(({ paid_amount }) => paid_amount)).toEqual([winner]);
    expect(warnings).toEqual(
      winner === 2
        ? undefined
        : {
            'orders[1].updated_at':
              'is older than that of the same order earlier in the request, which is kept',
          },
    );
  });
});
