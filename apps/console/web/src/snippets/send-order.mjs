const now = new Date().toISOString();

const response = await fetch('__API_URL__/api/open/orders/sync/', {
  method: 'POST',
  headers: {
    'X-Service-Key': process.env.REWARDHOOK_SECRET_KEY,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({
    orders: [
      {
        order_id: 'test-1001',
        member_id: 'member-1',
        order_amount: 30000,
        paid_amount: 30000,
        shipping_amount: 0,
        order_date: now,
        paid_at: now,
      },
    ],
  }),
});
console.log(response.status, await response.json());
