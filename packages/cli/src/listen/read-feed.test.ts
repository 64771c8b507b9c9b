import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openApi } from '../api/open-api.ts';
import { readSettings } from '../environment.ts';
import { readFeed } from './read-feed.ts';

const page = (ids: string[], next: string, hasMore = false) => ({
  status: 200,
  body: {
    data: {
      events: ids.map((id) => ({ id, type: 'reward.issue', created_at: '2026-11-01T00:00:00Z' })),
      next,
      has_more: hasMore,
    },
  },
});
const expired = { status: 410, body: { code: 'cursor_expired', message: 'The cursor has expired.' } };

/** Reads the feed of an API that gives these answers, without a start time, up to the first event. */
async function readFirst(answers: { status: number; body: object }[]): Promise<string | undefined> {
  const left = [...answers];
  const server = createServer((_request, response) => {
    const { status, body } = left.shift() ?? { status: 404, body: { code: 'not_found', message: '' } };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stopping = new AbortController();
  try {
    const events = readFeed(openApi(readSettings({ baseUrl, secretKey: 'svc_sk_test' }, {}), 1), {
      since: undefined,
      types: ['reward.issue'],
      signal: stopping.signal,
      onReady: () => undefined,
      onInterrupted: () => undefined,
    });
    for await (const { id } of events) return id;
    return undefined;
  } finally {
    stopping.abort();
    server.closeAllConnections();
    server.close();
  }
}

describe('readFeed without a start time', () => {
  it('Events from before the start are not forwarded when the cursor expires later', async () => {
    const answers = [page(['old'], 'a'), expired, page(['old'], 'b'), page(['new'], 'c')];
    expect(await readFirst(answers)).toBe('new');
  });

  it('Events from before the start are not forwarded when the cursor expires before all of them were skipped', async () => {
    const answers = [page(['old'], 'a', true), expired, page(['old', 'older'], 'b'), page(['new'], 'c')];
    expect(await readFirst(answers)).toBe('new');
  });
});
