import { database, useDatabase } from '../fixtures/use-database.ts';
import { listOrderStates } from './order-states.ts';

useDatabase(1);

it('The input of an evaluation has timestamps in UTC with microseconds in any year, and months in the time zone of the merchant', async () => {
  for (const sql of [
    `INSERT INTO merchants (id, name, identity_secret) VALUES ('mer', '', '')`,
    `INSERT INTO orders (merchant_id, order_id, version, member_id, order_amount, paid_amount, shipping_amount,
       order_date, first_order, paid_at, items)
     VALUES ('mer', 'o1', 1, 'm1', 1, 1, 0, '9999-12-31T23:59:59.5-09:00', false, '2026-01-31T16:00:00.000001Z', '[]')`,
  ])
    await database.query(sql);
  const [stored] = await listOrderStates(database, 'mer', ['o1']);
  expect(stored?.order).toMatchObject({
    orderDate: '10000-01-01T08:59:59.500000Z',
    paidAt: '2026-01-31T16:00:00.000001Z',
    cancelledAt: null,
    month: '2026-02',
  });
});
