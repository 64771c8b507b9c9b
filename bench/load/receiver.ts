import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveTask } from '../tasks/serve-task.ts';

// Merchants' receivers, as a process. The first segment of the path selects the behaviour: `/hangs` reads the request and
// never responds, `/slow` responds after a second, `/fails` responds with 500, all others with 204 at once. A call returns
// the number of responses 204 so far.
serveTask<null, { url: string }, number>(async () => {
  let received = 0;
  const server = createServer((request, response) => {
    const answer = () => {
      received += 1;
      response.writeHead(204).end();
    };
    request.resume().once('end', () => {
      if (request.url?.startsWith('/hangs')) return;
      if (request.url?.startsWith('/fails')) response.writeHead(500).end();
      else if (request.url?.startsWith('/slow')) setTimeout(answer, 1_000);
      else answer();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { ready: { url: `http://127.0.0.1:${port}` }, call: async () => received };
});
