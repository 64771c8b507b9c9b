import type { AddressInfo } from 'node:net';
import express from 'express';
import { serveTask } from '../tasks/serve-task.ts';

// A bare Express app that parses the same body, sends the same response, and does nothing else.
serveTask<null, { url: string }, null>(async () => {
  const app = express();
  app.use(express.json({ limit: '10mb' }));
  app.post('/api/open/orders/sync/', (request, response) => {
    const { orders } = request.body as { orders: object[] };
    response.status(202).json({ data: { accepted_count: orders.length } });
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { ready: { url: `http://127.0.0.1:${port}/api/open/orders/sync/` }, call: async () => null };
});
