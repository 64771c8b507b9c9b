import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildOrder, projectRoot, temporaryFolder, waitFor } from '@rewardhook/testing';
import { buildImage } from './deployment/build-image.ts';
import { startComposeHost } from './deployment/compose-host.ts';
import type { ComposeHost, RunningService } from './deployment/compose-host.ts';
import { listBiggestFolders } from './deployment/list-biggest-folders.ts';
import { listPackages } from './deployment/list-packages.ts';
import { bootPath, callWithRetries, syncPath } from './harness/call-api.ts';
import { composeFile, composeFileToTry } from './settings/deployment-files.ts';
import { services } from './settings/processes.ts';

// The proof of docker-compose.yml and Dockerfile where there is no container engine: the image's files are built as the
// Dockerfile says, and every service runs its command from them, as the user of the image, with exactly its environment.
jest.setTimeout(240_000);

describe('The services of docker-compose.yml, run from the files of the image', () => {
  const folder = temporaryFolder();
  let host: ComposeHost;
  const running = new Map<string, RunningService>();

  const app = join(folder.path, 'app');

  beforeAll(async () => {
    buildImage(app);
    host = await startComposeHost(folder.path, app);
  });

  afterAll(async () => {
    await host?.stop();
    folder.remove();
  });

  /** Runs a command to its end, as `docker compose run --rm` does, and returns its output. */
  async function run(name: string, ...args: string[]): Promise<string> {
    const { process, log } = await host.start(name, ...args);
    const { code } = await process.exited;
    const output = readFileSync(log, 'utf8');
    if (code !== 0) throw new Error(`${name} ${args.join(' ')} exited with ${code}:\n${output}`);
    return output;
  }

  it('They take at most 110 MB', () => {
    const biggest = listBiggestFolders(app, { depth: 3, count: 11 });
    process.stderr.write(`The image has, in MB:\n${biggest.map((line) => `  ${line.join(' ')}\n`).join('')}`);
    const [[size] = [Infinity]] = biggest;
    expect(size).toBeGreaterThan(20);
    expect(size).toBeLessThanOrEqual(110);
  });

  it('`npm run sbom` lists their packages with versions, and no others', () => {
    const bill = JSON.parse(
      execFileSync('npm', ['run', '-s', 'sbom'], { cwd: projectRoot, encoding: 'utf8' }),
    ) as { bomFormat: string; components: { 'bom-ref': string; hashes?: object[] }[] };
    expect(bill.bomFormat).toBe('CycloneDX');
    expect(bill.components.map((component) => component['bom-ref']).toSorted()).toEqual(listPackages(app));
    const listed = bill.components.filter((component) => !component['bom-ref'].startsWith('@rewardhook/'));
    expect(listed.filter(({ hashes = [] }) => hashes.length === 0)).toEqual([]);
  });

  it('migrate applies the migrations with the URL of the owner', async () => {
    expect(await run('migrate')).toContain('Applied: ');
  });

  it('Every process becomes ready', async () => {
    for (const name of services) running.set(name, await host.start(name));
    for (const [name, { health, log }] of running) {
      const ready = async () => (await fetch(`${health}/health/ready`)).ok;
      await waitFor(ready, { deadlineMs: 60_000, what: name }).catch((error: Error) => {
        throw new Error(`${error.message}\n${readFileSync(log, 'utf8')}`);
      });
    }
  });

  it('An order of a merchant that the admin command line created is accepted, stored and explained', async () => {
    const created = JSON.parse(await run('admin', 'merchant', 'create', '--name', 'Tea shop')) as {
      secretKey: string;
    };
    const headers = { 'x-service-key': created.secretKey };
    const api = running.get('api')?.url;
    const orders = [buildOrder({ order_id: 'first' })];
    const accepted = await callWithRetries(String(api), syncPath, { orders }, { key: created.secretKey });
    expect(accepted.status).toBe(202);
    const explained = async () => {
      const answer = await fetch(`${api}/api/open/orders/first/explain/`, { headers });
      return answer.ok && JSON.stringify(await answer.json());
    };
    expect(await waitFor(explained, { deadlineMs: 30_000 })).toContain('member_not_linked');
  });

  it('Every process stays far below the memory limit of its container', async () => {
    for (const [name, { health }] of running) {
      const metrics = await (await fetch(`${health}/metrics`)).text();
      const resident = Number(/^(?:\w+_)?process_resident_memory_bytes\S* (\S+)$/m.exec(metrics)?.[1]);
      expect(resident).toBeGreaterThan(0);
      expect([name, resident < host.memoryOf(name) * 0.7]).toEqual([name, true]);
    }
  });

  it('Every process ends with exit code 0 within its stop_grace_period', async () => {
    const { services: described } = composeFile();
    const ended = [...running].map(async ([name, { process }]) => {
      const exit = await process.stop(Number(described[name]?.stop_grace_period?.replace('s', '')) * 1_000);
      return [name, exit];
    });
    const expected = [...running.keys()].map((name) => [name, { code: 0, signal: null }]);
    expect(await Promise.all(ended)).toEqual(expected);
  });

  it('compose.try.yml adds a shop, whose members get points by verified webhooks on loopback', async () => {
    // The volume of the service.
    cpSync(join(projectRoot, 'examples/shop'), join(app, 'examples/shop'), { recursive: true });
    host.use(composeFileToTry());
    const start = (name: string) => host.start(name);
    const api = await start('api');
    const workers = await Promise.all(['sync', 'reward-evaluation', 'webhook-delivery'].map(start));
    await waitFor(async () => (await fetch(`${api.health}/health/ready`)).ok, { deadlineMs: 60_000 });
    const shop = await start('shop');
    const ready = async () => (await fetch(shop.url)).ok;
    await waitFor(ready, { deadlineMs: 60_000 }).catch((error: Error) => {
      throw new Error(`${error.message}\n${readFileSync(shop.log, 'utf8')}`);
    });

    // What the SDK does in the page of a member who is signed in.
    const [, key] = /publicKey: '(.+?)'/.exec(await (await fetch(`${shop.url}/shop.js`)).text()) ?? [];
    const boot = async (member: string, code?: unknown) => {
      const page = await (await fetch(shop.url, { headers: { cookie: `member=${member}` } })).text();
      const [, hash] = /data-hash="(\w+)"/.exec(page) ?? [];
      const body = { user_id: member, user_hash: hash, referral_code: code };
      return callWithRetries(api.url, bootPath, body, { key });
    };
    const alice = await boot('alice');
    expect(alice.status).toBe(200);
    await boot('bob', alice.body.data['referral_code']);
    const headers = { cookie: 'member=bob' };
    await fetch(`${shop.url}/orders`, { method: 'POST', headers, redirect: 'manual' });
    const points = async () => (await fetch(`${shop.url}/points`, { headers })).text();
    await waitFor(async () => (await points()) === '3000', { deadlineMs: 60_000, what: 'the points of bob' });
    for (const { process } of [api, ...workers, shop]) await process.stop();
    host.use(composeFile());
  });

  it('A process whose image was built without OpenTelemetry starts, and refuses an endpoint for traces', async () => {
    const script = join(projectRoot, 'scripts/prune-image.mjs');
    execFileSync(process.execPath, [script], {
      cwd: app,
      env: { ...process.env, OPENTELEMETRY: 'false' },
      stdio: 'pipe',
    });
    const { process: untraced, health } = await host.start('sync');
    const ready = async () => (await fetch(`${health}/health/ready`)).ok;
    await waitFor(ready, { deadlineMs: 60_000 });
    await untraced.stop();
    host.set('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:4318');
    await expect(run('sync')).rejects.toThrow(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages that export traces are not installed',
    );
  });

  it('admin says which file of a secret is missing', async () => {
    rmSync(host.secretPath('secrets_key'));
    const path = host.secretPath('secrets_key');
    await expect(run('admin', 'doctor')).rejects.toThrow(
      `SECRETS_KEY_FILE names ${path}, which cannot be read (ENOENT)`,
    );
  });
});
