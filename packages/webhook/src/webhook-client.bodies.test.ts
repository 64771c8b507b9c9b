import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { openFixtures } from './fixtures/open-fixtures.ts';
import type { AttemptResult } from './attempt-result.ts';

const open = openFixtures();
afterEach(open.closeAll);

const kibibyte = 1024;
const headers = { 'content-type': 'application/json' };

/** Answers every request with exactly these bytes, and returns the result of one attempt. */
async function answerWith(body: Buffer | string, extra: Record<string, string> = {}): Promise<AttemptResult> {
  const { port } = await open.http((_request, response) => response.writeHead(200, extra).end(body));
  return open.client().attempt({ url: `http://127.0.0.1:${port}/`, headers, body: Buffer.from('{}') });
}

describe('The body of a response', () => {
  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('is decompressed from %s', async (encoding, compress) => {
    const outcome = await answerWith(compress(Buffer.from('{"granted":true}')), {
      'content-encoding': encoding,
    });
    expect(outcome).toMatchObject({ status: 200, responseBody: '{"granted":true}', truncated: false });
  });

  it('is kept up to 16 KiB and read up to 64 KiB on a connection that stays', async () => {
    const outcome = await answerWith('x'.repeat(60 * kibibyte));
    expect(outcome).toMatchObject({ status: 200, truncated: true, responseBody: 'x'.repeat(16 * kibibyte) });
  });

  it.each(['keep-alive', 'close'])(
    'is cut at 64 KiB without losing the status (connection: %s)',
    async (connection) => {
      const outcome = await answerWith('x'.repeat(66 * kibibyte), { connection });
      expect(outcome).toMatchObject({ result: 'response', status: 200, truncated: true });
    },
  );

  it('takes no more memory than a small page when it is a gzip bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * kibibyte * kibibyte));
    const before = process.memoryUsage().rss;
    const outcome = await answerWith(bomb.subarray(0, 60 * kibibyte), { 'content-encoding': 'gzip' });
    expect(outcome).toMatchObject({ result: 'response', status: 200, truncated: true });
    expect(Buffer.byteLength((outcome as { responseBody: string }).responseBody)).toBeLessThanOrEqual(
      16 * kibibyte,
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * kibibyte * kibibyte);
  });

  it.each([
    ['broken gzip', 'gzip', 'not gzip at all'],
    ['an unknown coding', 'zstd', 'zzzz'],
    ['stacked codings', 'gzip, gzip', 'zzzz'],
    ['a name from the prototype', 'constructor', 'zzzz'],
  ])('is empty when it is sent in %s, and the status is kept', async (_what, encoding, body) => {
    const outcome = await answerWith(body, { 'content-encoding': encoding });
    expect(outcome).toMatchObject({ result: 'response', status: 200, responseBody: '', truncated: true });
  });

  it('is converted to text that PostgreSQL can store', async () => {
    const outcome = await answerWith(Buffer.from([0x61, 0x00, 0xed, 0xa0, 0x80, 0xff, 0x62]));
    const { responseBody } = outcome as { responseBody: string };
    expect(responseBody).toMatch(/^a\ufffd+b$/);
  });
});
