import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, projectRoot, temporaryFolder, waitFor } from '@rewardhook/testing';
import { signWebhook } from '@rewardhook/verify';
import { generateSigningSecret } from '@rewardhook/webhook';
import { startFlow } from '../harness/start-flow.ts';
import { installLocked } from '../harness/install-locked.ts';
import { packPackages } from './pack-packages.ts';

jest.setTimeout(300_000);

const run = promisify(execFile);
const folder = temporaryFolder();
afterAll(() => folder.remove());

/** The names that each entry exports. */
const entries: Record<string, Record<string, string[]>> = {
  verify: {
    '': [
      'handledInDatabase',
      'handledInMemory',
      'idempotencyKeyOf',
      'receiverOptions',
      'signWebhook',
      'signingKeyOf',
      'verificationFailures',
      'verifySignature',
      'verifyWebhook',
      'webhookReceiver',
    ],
    '/edge': ['handledInDatabase', 'handledInMemory', 'idempotencyKeyOf', 'verifyRequest', 'webhookHandler'],
    '/express': ['webhookReceiver'],
    '/fastify': ['webhookReceiver'],
    '/next': ['handledInDatabase', 'handledInMemory', 'webhookApiRoute', 'webhookRoute'],
  },
  node: { '': ['RewardhookError', 'createClient', 'cursorFile', 'userHash'] },
  'browser-sdk': { '': ['boot', 'forget', 'init'], '/react': ['useRewardhook'] },
  cli: { '': ['certify'] },
};
const names = Object.keys(entries);
const tarballs = join(folder.path, 'tarballs');
const tarballOf = (name: string) => join(tarballs, `rewardhook-${name}-0.1.0.tgz`);
const installed = join(folder.path, 'shop');

beforeAll(async () => {
  mkdirSync(installed);
  await packPackages(names, { copy: join(folder.path, 'copy'), tarballs });
  writeFileSync(join(installed, 'package.json'), '{ "name": "shop", "private": true }');
  // The packages have no dependencies, so nothing is downloaded.
  const options = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...options, ...names.map(tarballOf)], { cwd: installed });
  // Of the optional peer React, which a shop has.
  for (const name of ['react', '@types'])
    symlinkSync(join(projectRoot, 'node_modules', name), join(installed, 'node_modules', name));
});

/** Runs a script in the folder of the shop, and returns the JSON that it prints. */
async function runScript(file: string, script: string): Promise<unknown> {
  writeFileSync(join(installed, file), script);
  return JSON.parse((await run(process.execPath, [file], { cwd: installed })).stdout) as unknown;
}

describe('A packed package for merchants', () => {
  it('Only the packages are installed, without dependencies', () => {
    const modules = readdirSync(join(installed, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(modules).toEqual(['@rewardhook', '@types', 'react']);
  });

  it.each(names)('%s has a README, a licence and a manifest that can be published', (name) => {
    const path = join(installed, 'node_modules/@rewardhook', name);
    const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      name: `@rewardhook/${name}`,
      license: 'MIT',
      sideEffects: false,
      engines: { node: expect.stringMatching(/^>=20/) },
      // A scoped package is restricted by default, and trusted publishing compares the repository.
      publishConfig: { access: 'public' },
      repository: {
        type: 'git',
        url: expect.stringMatching(/^git\+https:.+\.git$/),
        directory: `packages/${name}`,
      },
      bugs: { url: expect.stringMatching(/^https:/) },
      homepage: expect.stringMatching(/^https:/),
    });
    for (const field of ['private', 'dependencies', 'devDependencies', 'scripts'])
      expect(manifest).not.toHaveProperty(field);
    expect(JSON.stringify(manifest)).not.toContain('source');
    expect(readFileSync(join(path, 'LICENSE'), 'utf8')).toContain('MIT License');
    expect(readFileSync(join(path, 'README.md'), 'utf8')).toContain(`npm install @rewardhook/${name}`);
    expect(readFileSync(join(path, 'README.md'), 'utf8')).toContain(`./rewardhook-${name}-0.1.0.tgz`);
    const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
    expect(
      files.filter((file) => /test|fixtures|\.tsbuildinfo$|\.map$|(?<!\.d)\.[cm]?ts$/.test(file)),
    ).toEqual([]);
  });

  it.each(names)(
    'publint and attw find nothing in %s, for ES modules, CommonJS, bundlers and the oldest resolution',
    async (name) => {
      const check = join(import.meta.dirname, 'check-tarball.mjs');
      const { stdout } = await run(process.execPath, [check, tarballOf(name)]);
      expect(JSON.parse(stdout)).toEqual({ publint: [], hasTypes: true, attw: [] });
    },
  );

  it.each(names)('Every entry of %s is imported and required', async (name) => {
    const all = entries[name] ?? {};
    const list = Object.keys(all).map((entry) => `@rewardhook/${name}${entry}`);
    const imported = `const names = {};
      for (const entry of ${JSON.stringify(list)}) names[entry] = Object.keys(await import(entry)).sort();
      console.log(JSON.stringify(names));`;
    const required = `const names = {};
      for (const entry of ${JSON.stringify(list)}) names[entry] = Object.keys(require(entry)).sort();
      console.log(JSON.stringify(names));`;
    const expected = Object.fromEntries(
      Object.entries(all).map(([entry, exported]) => [`@rewardhook/${name}${entry}`, exported]),
    );
    expect(await runScript('import.mjs', imported)).toEqual(expected);
    expect(await runScript('require.cjs', required)).toEqual(expected);
  });

  it('@rewardhook/verify has 22 kB at most', () => {
    const { length } = readFileSync(tarballOf('verify'));
    expect(length).toBeGreaterThan(5_000);
    expect(length).toBeLessThanOrEqual(22_000);
  });

  it('The command of cli runs without any other package, and everything that it bundles has its licence in it', async () => {
    const alone = join(folder.path, 'alone');
    mkdirSync(alone);
    await run('npm', [
      'install',
      '--global',
      '--prefix',
      alone,
      '--offline',
      '--ignore-scripts',
      tarballOf('cli'),
    ]);
    const modules = join(alone, 'lib/node_modules');
    expect(readdirSync(modules)).toEqual(['@rewardhook']);
    expect(readdirSync(join(modules, '@rewardhook/cli'))).not.toContain('node_modules');
    const command = join(alone, 'bin/rewardhook');
    const { stdout } = await run(command, ['--version'], { cwd: alone });
    expect(stdout).toBe('0.1.0\n');
    const bundle = join(modules, '@rewardhook/cli/dist/bundle');
    // Only modules of Node are imported.
    for (const file of ['rewardhook.js', 'index.js', 'index.cjs']) {
      const code = readFileSync(join(bundle, file), 'utf8');
      const imported = [
        ...code.matchAll(/^(?:import|export) .*? from ['"]([^'"]+)['"]|\brequire\(['"]([^'"]+)['"]\)/gm),
      ].map(([, one, other]) => one ?? other ?? '');
      expect(imported.length).toBeGreaterThan(3);
      expect(imported.filter((name) => !isBuiltin(name))).toEqual([]);
    }
    const code = readFileSync(join(bundle, 'rewardhook.js'), 'utf8');
    const bundled = new Set(
      [...code.matchAll(/^\s*\/\/ \S*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm)].map(
        ([, name]) => name ?? '',
      ),
    );
    expect(bundled).toContain('commander');
    const licences = readFileSync(join(bundle, 'LICENSES.txt'), 'utf8');
    expect([...bundled].filter((name) => !licences.includes(`# ${name} `))).toEqual([]);
    expect(licences).not.toContain('@rewardhook/');
  });

  it('A webhook is verified by the ES module and by CommonJS', async () => {
    const use = `
      const secrets = ['whsec_' + Buffer.alloc(32, 7).toString('base64')];
      const body = Buffer.from('{"id":"evt_1","type":"webhook.ping","created_at":"","data":{}}');
      const headers = signWebhook({ body, secrets });
      const request = new Request('http://shop/', { method: 'POST', headers, body });
      verifyRequest(request, { secrets }).then((edge) =>
        console.log(JSON.stringify([verifyWebhook({ headers, body, secrets }).ok, edge.ok])));`;
    const found = [
      await runScript(
        'verify.mjs',
        `import { signWebhook, verifyWebhook } from '@rewardhook/verify';
         import { verifyRequest } from '@rewardhook/verify/edge'; ${use}`,
      ),
      await runScript(
        'verify.cjs',
        `const { signWebhook, verifyWebhook } = require('@rewardhook/verify');
         const { verifyRequest } = require('@rewardhook/verify/edge'); ${use}`,
      ),
    ];
    expect(found).toEqual([
      [true, true],
      [true, true],
    ]);
  });

  it('A shop in TypeScript compiles, as an ES module and as CommonJS', async () => {
    const shop = `import { verifyWebhook, webhookReceiver, handledInMemory } from '@rewardhook/verify';
      import { webhookHandler } from '@rewardhook/verify/edge';
      import { createClient, RewardhookError, type Reward } from '@rewardhook/node';
      import { boot, init, type RewardhookError as SdkError } from '@rewardhook/browser-sdk';
      import { useRewardhook } from '@rewardhook/browser-sdk/react';
      import { certify, type CertifyReport, type Finding } from '@rewardhook/cli';
      export const certified = async (url: string): Promise<Finding[]> => {
        const report: CertifyReport = await certify({ url, signingSecret: 'whsec_x', asLive: false });
        // @ts-expect-error a report has no other outcome
        if (report.outcome === 'unknown') return [];
        return report.checks.map(({ finding }) => finding);
      };
      const client = createClient({ secretKey: 'svc_sk_x', apiUrl: 'https://api.example.com' });
      export async function list(): Promise<Reward[]> {
        const rewards: Reward[] = [];
        for await (const reward of client.rewards.list({ state: 'confirmed' })) rewards.push(reward);
        return rewards;
      }
      export const receive = webhookReceiver({
        secrets: [], handled: handledInMemory(),
        onEvent(event) {
          if (event.type === 'reward.revoke') return event.data.reason.length + event.data.reward.amount;
          // @ts-expect-error only reward.revoke has a reason of its own
          if (event.type === 'reward.issue') return event.data.reason;
          if (event.type === 'endpoint.disabled') return event.data.endpoint.url;
          return undefined;
        },
      });
      export const error: SdkError | undefined = init({ publicKey: 'svc_pk_x', apiUrl: 'https://api.example.com' });
      export const used = [verifyWebhook, webhookHandler, boot, useRewardhook, RewardhookError];`;
    writeFileSync(join(installed, 'shop.mts'), shop);
    writeFileSync(join(installed, 'shop.cts'), shop);
    const tsc = join(projectRoot, 'node_modules/typescript/bin/tsc');
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--types',
      'node,react',
      '--lib',
      'es2023,dom',
    ];
    const files = ['shop.mts', 'shop.cts'];
    const compiled = run(process.execPath, [tsc, ...options, '--ignoreConfig', ...files], { cwd: installed });
    await compiled.catch(({ stdout }: { stdout: string }) => {
      throw new Error(stdout);
    });
  });

  it('The code of the quickstart, of the guide to webhooks and of the READMEs compiles when it is pasted into strict TypeScript', async () => {
    const path = join(installed, 'pasted');
    mkdirSync(join(path, 'node_modules/@types'), { recursive: true });
    const frameworks = await installLocked('tests/frameworks');
    const types = readdirSync(join(frameworks, '@types')).map((name) => `@types/${name}`);
    const provided = ['@hono', '@nestjs', '@google-cloud', 'hono', 'reflect-metadata', 'rxjs', ...types];
    for (const name of provided) symlinkSync(join(frameworks, name), join(path, 'node_modules', name));
    symlinkSync(join(projectRoot, 'node_modules/@types/pg'), join(path, 'node_modules/@types/pg'));
    const around: Record<string, string> = {
      'examples/express/server.ts#webhooks': `import express from 'express';
        import { handledInMemory, webhookReceiver } from '@rewardhook/verify';
        declare const app: express.Express;
        declare function env(name: string): string;
        declare function add(member: string, points: number): void;\n`,
    };
    // Parts of other files, which the tests of the examples compile; and functions of the reader's own, whose parameters
    // JavaScript cannot type.
    const apart = [
      'examples/next/app/webhooks/route.ts',
      'examples/receivers/lambda.mjs',
      'examples/verifiers/verify.mjs',
      'examples/verifiers/standard-webhooks.mjs',
    ];
    const documents = ['docs/quickstart.md', 'docs/webhooks.md'].map((name) => join(projectRoot, name));
    const readmes = ['verify', 'node'].map((name) =>
      join(installed, 'node_modules/@rewardhook', name, 'README.md'),
    );
    const blocks = [...documents, ...readmes].flatMap((document) =>
      [...readFileSync(document, 'utf8').matchAll(/^```(?:js|ts)\b([^\n]*)\n([\s\S]*?)^```$/gm)].map(
        ([, marks = '', code = '']) => ({ source: marks.trim().replace('file=', ''), code }),
      ),
    );
    const found = blocks.map(({ source }) => source);
    expect(apart.filter((source) => !found.includes(source))).toEqual([]);
    const pasted = blocks.filter(({ source }) => !apart.includes(source));
    expect(pasted).toHaveLength(10);
    const files = pasted.map(({ source, code }, at) => {
      const file = source.endsWith('/receiver-options.mjs') ? 'receiver-options.mts' : `pasted-${at}.mts`;
      writeFileSync(join(path, file), `${around[source] ?? ''}${code}`);
      return file;
    });
    const tsc = join(projectRoot, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--experimentalDecorators', '--types', 'node'];
    const compiled = run(
      process.execPath,
      [tsc, ...options, '--module', 'nodenext', '--target', 'es2023', '--ignoreConfig', ...files],
      { cwd: path },
    );
    await compiled.catch(({ stdout }: { stdout: string }) => {
      throw new Error(stdout);
    });
  });

  it('A shop in TypeScript 5 compiles with the oldest resolution, node10', async () => {
    const shop = `import { verifyWebhook } from '@rewardhook/verify';
      import { webhookHandler } from '@rewardhook/verify/edge';
      import { webhookReceiver } from '@rewardhook/verify/express';
      import { webhookReceiver as plugin } from '@rewardhook/verify/fastify';
      import { webhookRoute } from '@rewardhook/verify/next';
      import { createClient, type SentOrders } from '@rewardhook/node';
      import { boot } from '@rewardhook/browser-sdk';
      import { useRewardhook } from '@rewardhook/browser-sdk/react';
      import { certify } from '@rewardhook/cli';
      // @ts-expect-error the client needs a key
      createClient({});
      export const sent = (): Promise<SentOrders> =>
        createClient({ secretKey: 'svc_sk_x', apiUrl: 'https://api.example.com' }).orders.send([]);
      export const used = [verifyWebhook, webhookHandler, webhookReceiver, plugin, webhookRoute, boot, useRewardhook, certify];`;
    writeFileSync(join(installed, 'old-shop.ts'), shop);
    const tsc = join(await installLocked('tests/frameworks'), 'typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'commonjs', '--moduleResolution', 'node10'];
    const compiled = run(
      process.execPath,
      [tsc, ...options, '--target', 'es2022', '--lib', 'es2023,dom', '--types', 'node,react', 'old-shop.ts'],
      { cwd: installed },
    );
    await compiled.catch(({ stdout }: { stdout: string }) => {
      throw new Error(stdout);
    });
  });

  it('The usage in the README of verify receives a webhook once, and grants nothing for test events', async () => {
    const secret = generateSigningSecret();
    const port = await freePort();
    const code = codeOf('verify', 'receiver').replace('8080', String(port));
    writeFileSync(join(installed, 'receiver.mjs'), code);
    const env = { ...process.env, REWARDHOOK_SIGNING_SECRET: secret };
    const receiver = spawn(process.execPath, ['receiver.mjs'], { cwd: installed, env });
    try {
      let output = '';
      receiver.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const send = async (mark: object) => {
        const data = { reward: { id: 'rwd_1', amount: 3000 }, member_id: 'bob' };
        const event = { id: 'evt_1', type: 'reward.issue', ...mark, created_at: '', data };
        const body = Buffer.from(JSON.stringify(event));
        const headers = signWebhook({ body, secrets: [secret] });
        return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).status;
      };
      const answers = [await waitFor(() => send({ test: true }).catch(() => undefined))];
      answers.push(await send({}), await send({}));
      await waitFor(() => output.includes('add'));
      expect([answers, output]).toEqual([[200, 200, 200], 'test of reward.issue\nadd 3000 to bob\n']);
    } finally {
      receiver.kill();
    }
  });

  it('The usage in the README of node links, sends an order, lists it and reads its events', async () => {
    const flow = await startFlow();
    try {
      const merchant = await flow.openMerchant();
      const env = {
        ...process.env,
        REWARDHOOK_SECRET_KEY: merchant.secretKey,
        REWARDHOOK_BASE_URL: flow.url,
        REWARDHOOK_IDENTITY_SECRET: merchant.identitySecret,
      };
      writeFileSync(join(installed, 'usage.mjs'), codeOf('node', 'usage'));
      const use = async () => (await run(process.execPath, ['usage.mjs'], { cwd: installed, env })).stdout;
      expect(await use()).toMatch(/^1 \{\}\n(?:[\s\S]*\n)?[\da-f]{64}\n$/);
      await flow.queues.settled();
      expect(await use()).toMatch(
        /^1 \{\}\n1001\nreward\.issue \{[\s\S]*reward\.issue \{[\s\S]*\n[\da-f]{64}\n$/,
      );
      expect(await use()).toMatch(/^1 \{\}\n1001\n[\da-f]{64}\n$/);
    } finally {
      await flow.close();
    }
  });
});

/** The block of code of a README with a mark, of at most 30 lines. */
function codeOf(name: string, mark: string): string {
  const readme = readFileSync(join(installed, 'node_modules/@rewardhook', name, 'README.md'), 'utf8');
  const code = readme.split('```js ' + mark + '\n')[1]?.split('```')[0];
  if (code === undefined) throw new Error(`the README of ${basename(name)} has no ${mark}`);
  expect(code.split('\n').length).toBeLessThanOrEqual(30);
  return code;
}
