import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import supertest from 'supertest';
import { createTestDatabase } from '@rewardhook/testing/servers';
import type { TestDatabase } from '@rewardhook/testing/servers';
import { temporaryFolder } from '@rewardhook/testing';
import { openConsole } from '../../testing/open-console.ts';
import type { RunningConsole } from '../../testing/open-console.ts';

describe('The page of the console', () => {
  const folder = temporaryFolder();
  let database: TestDatabase;
  let running: RunningConsole;
  let restarted: RunningConsole | undefined;
  const open = () =>
    openConsole(
      {
        databaseUrl: database.url,
        redisUrl: String(process.env['TEST_REDIS_URL']),
        prefix: '{test-page}',
        secretsKey: Buffer.alloc(32).toString('base64'),
      },
      {},
      { pageFolder: folder.path },
    );
  beforeAll(async () => {
    database = await createTestDatabase();
    running = await open();
  });
  afterAll(async () => {
    await running.close();
    await restarted?.close();
    await database.drop();
    folder.remove();
  });
  const get = (path: string) => supertest(running.url).get(path);

  it('The page is answered 503 until it is built, and served as soon as it is', async () => {
    const missing = await get('/');
    expect([missing.status, missing.body.message]).toEqual([
      503,
      'The page is not built: run npm run build.',
    ]);
    mkdirSync(join(folder.path, 'assets'));
    writeFileSync(join(folder.path, 'index.html'), '<!doctype html><title>Rewardhook</title>');
    writeFileSync(join(folder.path, 'assets/index-abc123.js'), 'export {};');
    for (const path of ['/', '/deliveries/some-id', '/invitations/token', '/rewards.csv']) {
      const page = await get(path);
      expect([page.status, page.headers['cache-control'], page.text]).toEqual([
        200,
        'no-cache',
        '<!doctype html><title>Rewardhook</title>',
      ]);
    }
    const asset = await get('/assets/index-abc123.js');
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await get('/assets/index-old.js')).status).toBe(404);
    expect((await get('/%2e%2e/%2e%2e/etc/passwd')).text).not.toContain('root:');
  });

  it('The files of the page are sent as the build compressed them to clients that accept it', async () => {
    const script = 'export const sentence = "of the page";';
    writeFileSync(join(folder.path, 'assets/page-abc123.js'), script);
    writeFileSync(join(folder.path, 'assets/page-abc123.js.gz'), gzipSync(script));
    writeFileSync(join(folder.path, 'assets/page-abc123.js.br'), brotliCompressSync(script));
    const { url } = (restarted = await open());
    const asset = (encoding: string) =>
      supertest(url).get('/assets/page-abc123.js').set('accept-encoding', encoding);
    for (const [encoding, sentAs] of [
      ['gzip, deflate, br', 'br'],
      ['gzip, deflate', 'gzip'],
      ['identity', undefined],
    ] as const) {
      const { headers, text } = await asset(encoding);
      expect([text, headers['content-encoding'], headers['vary']]).toEqual([
        script,
        sentAs,
        'Accept-Encoding',
      ]);
      expect(headers['content-type']).toMatch(/^text\/javascript; charset=utf-8$/i);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    }
  });

  it('The page cannot be framed and runs only its own files', async () => {
    const { headers } = await get('/');
    const policy = headers['content-security-policy']?.split(';') ?? [];
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",
        "frame-ancestors 'none'",
        "object-src 'none'",
      ]),
    );
    expect(policy.filter((rule) => rule.includes('unsafe'))).toEqual(["style-src-attr 'unsafe-inline'"]);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
    expect(headers).not.toHaveProperty('x-powered-by');
    expect((await get('/api/unknown')).body).toMatchObject({ code: 'not_found' });
    expect((await get('/api/console/session')).headers['cache-control']).toBe('no-store');
  });
});
