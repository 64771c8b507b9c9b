import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { deliveryHeaders, generateSigningSecret, retrySchedule } from '@rewardhook/webhook';
import { testVectors, type TestVector } from './fixtures/test-vectors.ts';
import { verifySignature, verifyWebhook } from './verify-webhook.ts';
import { verifyWithWebCrypto } from './web-crypto.ts';

const root = join(import.meta.dirname, '../../..');
const vectors = JSON.parse(
  readFileSync(join(root, 'packages/verify/test-vectors.json'), 'utf8'),
) as TestVector[];
const page = readFileSync(join(root, 'docs/webhooks.md'), 'utf8');

afterEach(() => jest.restoreAllMocks());

/** Whether the independent library takes the request under one of the secrets. */
function libraryAccepts({ secrets, headers, body, now }: TestVector): boolean {
  jest.spyOn(Date, 'now').mockReturnValue(now * 1000);
  return secrets.some((secret) => {
    try {
      new Webhook(secret).verify(Buffer.from(body, 'base64'), headers);
      return true;
    } catch {
      return false;
    }
  });
}

const example = (file: string) => readFileSync(join(root, 'examples', file), 'utf8');

/** Runs a program that reads the vectors as JSON and prints a JSON list of booleans. */
function run(command: string, ...args: string[]): boolean[] {
  const input = JSON.stringify(
    vectors.map((vector) => ({
      ...vector,
      headers: Object.fromEntries(Object.entries(vector.headers).map(([k, v]) => [k.toLowerCase(), v])),
    })),
  );
  const { stdout, stderr } = spawnSync(command, args, { input, encoding: 'utf8' });
  if (stderr) throw new Error(stderr);
  return JSON.parse(stdout) as boolean[];
}

describe('The published test vectors', () => {
  it('are up to date with the script that writes them', () => expect(vectors).toEqual(testVectors()));

  it.each(vectors)('are fulfilled by our helpers: $name', async (vector) => {
    const body = Buffer.from(vector.body, 'base64');
    const { headers, secrets, now, contractSignature } = vector;
    const header = headers['X-Service-Signature'];
    const input = { headers, body, secrets, now: now * 1000 };
    expect(verifyWebhook(input)).toMatchObject(vector.expected);
    expect(await verifyWithWebCrypto(input)).toEqual(verifyWebhook(input));
    const lenient = verifyWebhook({ ...input, requireTimestamp: false });
    expect(lenient).toMatchObject(vector.expectedWithoutTimestamp ?? vector.expected);
    expect(secrets.some((secret) => verifySignature(secret, body, header))).toBe(contractSignature);
  });

  it.each(vectors)('are fulfilled by the Standard Webhooks library: $name', (vector) => {
    expect(libraryAccepts(vector)).toBe(vector.standardWebhooks);
  });
});

describe('The Standard Webhooks library', () => {
  it('accepts a request of the sender with a new secret', () => {
    const secret = generateSigningSecret();
    const body = Buffer.from('{"id":"evt_1","type":"reward.issue","data":{"note":"보상"}}');
    const headers = deliveryHeaders({
      eventType: 'reward.issue',
      deliveryId: '0b9d7c2e-6f0e-4c57-8a3c-0f5a1c2d3e4f',
      attempt: 2,
      body,
      signing: { primary: secret, all: [secret, generateSigningSecret()] },
      timestampSeconds: Math.floor(Date.now() / 1000),
    });
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body.toString()));
    expect(() => new Webhook(generateSigningSecret()).verify(body, headers)).toThrow('No matching signature');
  });
});

describe('docs/webhooks.md', () => {
  it('has a function for Node that fulfils the vectors', () => {
    const program = `${example('verifiers/verify.mjs')}
      import { readFileSync } from 'node:fs';
      const vectors = JSON.parse(readFileSync(0, 'utf8'));
      console.log(JSON.stringify(vectors.map(({ secrets, headers, body }) =>
        secrets.some((secret) => hasValidSignature(Buffer.from(body, 'base64'), headers, secret)))));`;
    const found = run(process.execPath, '--input-type=module', '-e', program);
    expect(found).toEqual(vectors.map(({ contractSignature }) => contractSignature));
  });

  it('has a function with the Standard Webhooks library that fulfils the vectors', () => {
    const program = `${example('verifiers/standard-webhooks.mjs')}
      import { readFileSync } from 'node:fs';
      console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(({ secrets, headers, body, now }) => {
        Date.now = () => now * 1000;
        return secrets.some((secret) => {
          try {
            return readEvent(Buffer.from(body, 'base64'), headers, secret).id === 'evt_1';
          } catch {
            return false;
          }
        });
      })));`;
    const found = run(process.execPath, '--input-type=module', '-e', program);
    expect(found).toEqual(vectors.map(({ standardWebhooks }) => standardWebhooks));
  });

  it('has a function for Python that fulfils the vectors, where Python is installed', () => {
    if (spawnSync('python3', ['--version']).status !== 0) return;
    const program = `${example('receivers/sqlite.py').replace('__name__ == "__main__"', 'False')}
import json, sys
print(json.dumps([is_webhook(base64.b64decode(v["body"]), v["headers"], v["secrets"], v["now"]) for v in json.load(sys.stdin)]))`;
    const found = run('python3', '-c', program);
    expect(found).toEqual(vectors.map(({ standardWebhooks }) => standardWebhooks));
  });

  it('gives the retry schedule of the code', () => {
    const words = retrySchedule
      .slice(1)
      .map((s) => (s < 60 ? `${s} s` : s < 3600 ? `${s / 60} min` : `${s / 3600} h`));
    const last = words.pop();
    expect(page.replace(/\s+/g, ' ')).toContain(`${words.join(', ')} and ${last} after`);
  });
});
