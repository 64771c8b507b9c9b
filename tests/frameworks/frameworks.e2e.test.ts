import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, projectRoot, temporaryFolder, waitFor } from '@rewardhook/testing';
import { deliveryHeaders, generateSigningSecret } from '@rewardhook/webhook';
import { documentPaths } from '../../scripts/write-excerpts.ts';
import { installLocked } from '../harness/install-locked.ts';
import { runtimeCommand } from '../harness/runtime-command.ts';

jest.setTimeout(300_000);

const secret = generateSigningSecret();
const folder = temporaryFolder();
const started: ChildProcess[] = [];
let modules: string;

/** The receivers of examples/, which docs/webhooks.md shows, and those of this folder. */
function writeFiles(port: number): string {
  const path = join(folder.path, String(port));
  mkdirSync(path);
  for (const from of [join(projectRoot, 'examples/receivers'), import.meta.dirname])
    for (const name of readdirSync(from).filter((file) => /\.mjs$|^nest\.ts$/.test(file)))
      writeFileSync(
        join(path, name),
        readFileSync(join(from, name), 'utf8').replaceAll('8080', String(port)),
      );
  return path;
}

beforeAll(async () => {
  modules = join(folder.path, 'node_modules');
  mkdirSync(join(modules, '@rewardhook'), { recursive: true });
  const installed = await installLocked('tests/frameworks');
  for (const name of readdirSync(installed))
    if (!name.startsWith('.')) symlinkSync(join(installed, name), join(modules, name));
  symlinkSync(join(projectRoot, 'packages/verify'), join(modules, '@rewardhook/verify'));
});
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  folder.remove();
});

/** The program and its arguments for each framework and runtime, in a folder with the files. */
const receivers: [string, (path: string, port: number) => string[]][] = [
  [
    'Nest with rawBody',
    (path) => {
      const { transpile, ModuleKind, ScriptTarget } = createRequire(join(modules, 'x.js'))('typescript');
      const compilerOptions = {
        module: ModuleKind.ESNext,
        target: ScriptTarget.ES2022,
        experimentalDecorators: true,
      };
      writeFileSync(
        join(path, 'nest.mjs'),
        transpile(readFileSync(join(path, 'nest.ts'), 'utf8'), compilerOptions),
      );
      return [process.execPath, 'nest.mjs'];
    },
  ],
  ['Koa', () => [process.execPath, 'koa.mjs']],
  ['Hono', () => [process.execPath, 'hono.mjs']],
  ['a function of AWS Lambda', () => [process.execPath, 'serve-lambda.mjs', './lambda.mjs']],
  [
    'Express with serverless-http on AWS Lambda',
    () => [process.execPath, 'serve-lambda.mjs', './serverless-http.mjs'],
  ],
  [
    'Google Cloud Functions',
    (_path, port) => [
      process.execPath,
      join(modules, '@google-cloud/functions-framework/build/src/main.js'),
      '--source=cloud-function.mjs',
      '--target=webhooks',
      `--port=${port}`,
    ],
  ],
  ['Bun', () => [...runtimeCommand('Bun', modules), 'runtimes.mjs']],
  ['Deno', () => [...runtimeCommand('Deno', modules), 'runtimes.mjs']],
];

async function start(commandOf: (path: string, port: number) => string[]): Promise<string> {
  const port = await freePort();
  const path = writeFiles(port);
  const [command = '', ...words] = commandOf(path, port);
  const env = { PATH: process.env['PATH'], HOME: path, NO_COLOR: '1', REWARDHOOK_SIGNING_SECRET: secret };
  const child = spawn(command, words, { cwd: path, env, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (said += text));
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  const url = `http://127.0.0.1:${port}/webhooks`;
  await waitFor(
    async () => {
      if (failure || child.exitCode !== null) throw failure ?? new Error(`${command} ended: ${said}`);
      return fetch(url, { method: 'POST', body: '{}' }).then(
        () => true,
        () => false,
      );
    },
    { deadlineMs: 60_000, what: `${command} ${words.join(' ')}` },
  );
  return url;
}

async function send(url: string, reward: string, key = secret): Promise<[number, string]> {
  const data = { reward: { id: reward, type: 'points', amount: 3000, unit: 'points' }, member_id: '회원-1' };
  // Not as JSON.stringify writes it: bytes that were parsed and serialized again are refused.
  const text = JSON.stringify({ id: 'evt_1', type: 'reward.issue', created_at: '', data }, null, 1);
  const body = Buffer.from(text);
  const headers = deliveryHeaders({
    eventType: 'reward.issue',
    deliveryId: crypto.randomUUID(),
    attempt: 1,
    body,
    signing: { primary: key, all: [key] },
    timestampSeconds: Math.floor(Date.now() / 1000),
  });
  const answer = await fetch(url, { method: 'POST', headers, body });
  return [answer.status, ((await answer.json()) as { code: string }).code];
}

describe('A receiver of docs/webhooks.md', () => {
  it.each(receivers)('handles genuine webhooks once and refuses others, in %s', async (_name, commandOf) => {
    const url = await start(commandOf);
    expect(await send(url, 'rwd_1')).toEqual([200, 'ok']);
    expect(await send(url, 'rwd_1')).toEqual([200, 'duplicate']);
    expect(await send(url, 'rwd_2', generateSigningSecret())).toEqual([400, 'wrong_signature']);
    expect(await send(url, 'rwd_2')).toEqual([200, 'ok']);
  });

  it('is compiled in strict mode where it is TypeScript, as every TypeScript of the documents and READMEs', async () => {
    const path = writeFiles(await freePort());
    const blocks = documentPaths()
      .flatMap((file) => [
        ...readFileSync(join(projectRoot, file), 'utf8').matchAll(/^```(?:ts|typescript|tsx|mts)\b(.*)$/gm),
      ])
      .map(([, marks = '']) => marks.trim());
    // The shops are compiled by example-shops.e2e.test.ts.
    const elsewhere = /^file=examples\/(?:express|next)\//;
    expect(blocks.filter((marks) => !elsewhere.test(marks))).toEqual(
      Array(2).fill('file=examples/receivers/nest.ts'),
    );
    writeFileSync(join(path, 'package.json'), '{ "type": "module" }');
    const tsc = join(modules, 'typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--allowJs', '--skipLibCheck', '--experimentalDecorators'];
    const compiled = promisify(execFile)(
      process.execPath,
      [tsc, ...options, '--module', 'nodenext', '--target', 'es2023', 'nest.ts'],
      { cwd: path },
    );
    await compiled.catch(({ stdout }: { stdout: string }) => {
      throw new Error(stdout);
    });
  });

  it('is tested in an edge runtime, which has no API of Node', async () => {
    const { EdgeRuntime } = createRequire(join(modules, 'x.js'))('edge-runtime');
    const { build } = await import('esbuild');
    const bundle = await build({
      stdin: {
        contents: `import { webhookHandler, handledInMemory } from '@rewardhook/verify/edge';
          const handle = webhookHandler({ secrets: [${JSON.stringify(secret)}], handled: handledInMemory(), onEvent() {} });
          addEventListener('fetch', (event) => event.respondWith(handle(event.request)));`,
        resolveDir: folder.path,
      },
      bundle: true,
      write: false,
      format: 'iife',
      platform: 'neutral',
    });
    const runtime = new EdgeRuntime({ initialCode: bundle.outputFiles[0]?.text });
    const body = Buffer.from(
      '{"id":"evt_1","type":"reward.issue","created_at":"","data":{"reward":{"id":"rwd_1"}}}',
    );
    const headers = deliveryHeaders({
      eventType: 'reward.issue',
      deliveryId: crypto.randomUUID(),
      attempt: 1,
      body,
      signing: { primary: secret, all: [secret] },
      timestampSeconds: Math.floor(Date.now() / 1000),
    });
    const codes: string[] = [];
    for (let copy = 0; copy < 2; copy += 1) {
      const answer = await runtime.dispatchFetch('http://edge/webhooks', { method: 'POST', headers, body });
      codes.push(((await answer.json()) as { code: string }).code);
    }
    expect(codes).toEqual(['ok', 'duplicate']);
  });
});
