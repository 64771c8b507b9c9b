import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveTask } from '../tasks/serve-task.ts';

// Merchants' receivers, as a process: every request is answered 204. A call returns the number of responses so far.
serveTask<null, { url: string }, number>(async () => {
  let received = 0;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      received += 1;
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { ready: { url: `http://127.0.0.1:${port}` }, call: async () => received };
});
