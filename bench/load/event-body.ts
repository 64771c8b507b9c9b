/** The body of an event of this merchant, of the length of a real one. */
export function eventBody(merchantId: string): string {
  const text = (length: number) => merchantId.padEnd(length, 'x').slice(0, length);
  const order = {
    order_id: text(20),
    order_date: text(27),
    paid_at: text(27),
    order_amount: 31_000,
    paid_amount: 34_000,
    shipping_amount: 3_000,
  };
  const referral = {
    id: text(26),
    code: text(8),
    referrer_member_id: text(20),
    referee_member_id: text(20),
    linked_at: text(27),
  };
  const reward = { id: text(26), type: 'points', amount: 3_000, unit: 'points' };
  const data = {
    reward,
    member_id: text(20),
    role: 'referee',
    referral,
    order,
    program: { id: text(26), version: 1 },
  };
  return JSON.stringify({ id: text(26), type: 'reward.issue', created_at: text(24), data });
}
