import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@rewardhook/testing';
import type { AccessLine } from './access-log.ts';
import { recordRequests } from './record-requests.ts';
import { noteWarnings } from './request-record.ts';

describe('The access line of a request', () => {
  it('has the paths of the warnings of its response, and none without warnings', async () => {
    const lines: AccessLine[] = [];
    const record = recordRequests({
      accessLog: { write: (line) => void lines.push(line), close: () => undefined },
    });
    const server = createServer((request, response) =>
      record(request, response, () => {
        if (request.url === '/warned') noteWarnings(response, { 'orders[1].canceled_at': 'a text' });
        response.end();
      }),
    );
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const path of ['/warned', '/plain']) await (await fetch(url + path)).text();
    await waitFor(() => lines.length === 2);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(lines.map(({ warnings }) => warnings)).toEqual([['orders[1].canceled_at'], undefined]);
  });
});
