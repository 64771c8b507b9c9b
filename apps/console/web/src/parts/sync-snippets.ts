const order = (indent: string) =>
  [
    '{',
    '  "orders": [{',
    '    "order_id": "test-1001",',
    '    "member_id": "member-1",',
    '    "order_amount": 30000,',
    '    "paid_amount": 30000,',
    '    "shipping_amount": 0,',
    `    "order_date": "${new Date().toISOString()}",`,
    `    "paid_at": "${new Date().toISOString()}"`,
    '  }]',
    '}',
  ].join(`\n${indent}`);

/** A first order by curl; without a key it is taken from the environment. */
export function syncWithCurl(apiUrl: string, secretKey?: string): string {
  return [
    `curl -X POST ${apiUrl}/api/open/orders/sync/ \\`,
    `  -H "X-Service-Key: ${secretKey ?? '$REWARDHOOK_SECRET_KEY'}" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${order('  ')}'`,
  ].join('\n');
}

/** The same from Node 20 or newer, as an .mjs file. */
export function syncWithNode(apiUrl: string): string {
  return `const response = await fetch('${apiUrl}/api/open/orders/sync/', {
  method: 'POST',
  headers: {
    'X-Service-Key': process.env.REWARDHOOK_SECRET_KEY,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${order('  ')}),
});
console.log(response.status, await response.json());
`;
}
