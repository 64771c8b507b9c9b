import { gzipSync } from 'node:zlib';
import { waitFor } from '@rewardhook/testing';
import { sendRaw } from '../../../tests/harness/raw-http.ts';
import { startApi } from '../../../tests/harness/start-api.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import { syncPath } from '../../../tests/harness/call-api.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import type { RunningApi } from '../../../tests/harness/start-api.ts';

// Each request waits for the deadline of the API, 10 s.
jest.setTimeout(60_000);

describe('A body that does not arrive within 10 seconds', () => {
  let flow: Flow;
  let api: RunningApi;
  let merchant: Merchant;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    api = await startApi(flow.environment);
    merchant = await flow.openMerchant();
  });
  afterAll(async () => {
    await api.close();
    await flow.close();
  });

  const bytesInFlight = async () => {
    const shown = await api.metrics.registry.getSingleMetricAsString('rewardhook_body_bytes_in_flight');
    return Number(shown.trimEnd().split(' ').at(-1));
  };
  const body = Buffer.from('{"orders":[]}');

  it.each([
    ['a length', [`Content-Length: ${body.length + 1_000}`], body],
    ['chunks', ['Transfer-Encoding: chunked'], Buffer.from(`d\r\n${body.toString()}\r\n`)],
    ['compression', ['Content-Length: 1000', 'Content-Encoding: gzip'], gzipSync(body).subarray(0, -1)],
  ])(
    'with %s is answered 408, its connection is closed and its bytes are released',
    async (_name, lines, part) => {
      const head = [
        `POST ${syncPath} HTTP/1.1`,
        'Host: api',
        `X-Service-Key: ${merchant.secretKey}`,
        'Content-Type: application/json',
        ...lines,
      ];
      const startedAt = performance.now();
      const answering = sendRaw(api.url, Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), part]), {
        withinMs: 30_000,
      });
      await waitFor(async () => (await bytesInFlight()) > 0, { everyMs: 5, what: 'bytes in flight' });
      const { status, headers, body: text } = await answering;
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(9_900);
      expect(status).toBe(408);
      expect(headers).toMatch(/^connection: close\r?$/im);
      expect(JSON.parse(text)).toEqual({
        code: 'request_timeout',
        message: 'The body did not arrive within 10 seconds. Send it again.',
        request_id: expect.any(String),
      });
      await waitFor(async () => (await bytesInFlight()) === 0, { everyMs: 5, what: 'no bytes in flight' });
    },
  );
});
