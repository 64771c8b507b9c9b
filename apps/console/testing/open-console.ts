import { randomInt } from 'node:crypto';
import supertest from 'supertest';
import { findLink, startMailServer } from '@rewardhook/testing/mail';
import { waitFor } from '@rewardhook/testing';
import type { MailServer } from '@rewardhook/testing/mail';
import type { Logger } from '@rewardhook/process';
import { openCleanup } from '../../../tests/harness/cleanup.ts';
import { testContext } from '../../../tests/harness/test-context.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import type { TestEnvironment } from '../../../tests/harness/start-api.ts';
import type {
  CredentialsView,
  ErrorResponse,
  NewApiKeyResponse,
  RevealedSecret,
  SignUpResponse,
} from '../src/api-types.ts';
import type { ConsoleDependencies } from '../src/dependencies.ts';
import type { ConsoleSettings } from '../src/environment.ts';
import { startConsole } from '../src/start.ts';

export const goodPassword = 'correct horse battery staple';

/** A browser: it keeps cookies, has its own IP address and sends the headers of the page. */
export interface Browser {
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** `data` of the JSON, the complete JSON of an error, or undefined. */
  data: never;
  body: Partial<ErrorResponse>;
  text: string;
}

/** A merchant that signed up in the console, with the browser of its owner. */
export interface SignedUpMerchant {
  browser: Browser;
  email: string;
  /** The live side, with a secret key of its own. */
  merchant: Merchant;
}

/** The console, running in the test's process. */
export interface RunningConsole {
  url: string;
  dependencies: ConsoleDependencies;
  /** Receives the mails of the console. */
  mail: MailServer;
  /** All log lines so far, as one text. */
  logged(): string;
  browser(address?: string): Browser;
  signUp(name?: string): Promise<SignedUpMerchant>;
  /** Signs up with the link in the mail; the browser is then signed in. */
  createAccount(browser: Browser, email: string, merchantName: string): Promise<SignUpResponse>;
  close(): Promise<void>;
}

/** Starts the console with the function that its main.ts uses, behind one trusted proxy. */
export async function openConsole(
  environment: TestEnvironment,
  settings: Partial<ConsoleSettings> = {},
  changes: Partial<ConsoleDependencies> = {},
): Promise<RunningConsole> {
  const cleanup = openCleanup();
  const lines: string[] = [];
  const mail = await startMailServer();
  cleanup.add(() => mail.close());
  const write = (message: string, fields: object = {}) =>
    void lines.push(
      [message, ...Object.values(fields)]
        .map((part) => (part instanceof Error ? part.stack : part))
        .join(' '),
    );
  const log = { info: write, warn: write, error: write } as unknown as Logger;
  const { url, dependencies } = await startConsole(
    {
      LOG_LEVEL: 'debug',
      LISTEN_HOST: '127.0.0.1',
      HEALTH_PORT: 0,
      SHUTDOWN_DELAY_SECONDS: 0,
      HTTP_KEEP_ALIVE_SECONDS: 65,
      DATABASE_URL: environment.databaseUrl,
      DATABASE_POOL_SIZE: 5,
      REDIS_URL: environment.redisUrl,
      QUEUE_PREFIX: environment.prefix,
      QUEUE_SHARDS: 1,
      SECRETS_KEY: environment.secretsKey,
      CONSOLE_PORT: 0,
      CONSOLE_PUBLIC_URL: 'http://console.test',
      CONSOLE_TRUST_PROXY: 1,
      API_PUBLIC_URL: 'https://share.example',
      WEBHOOK_ALLOW_LOOPBACK: true,
      SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      MAIL_FROM: 'Rewardhook <console@rewardhook.example>',
      ...settings,
    },
    testContext('console', cleanup, { log, fail: write }),
    // One receiver serves many tests. Tests of limits set their own.
    {
      addressRequestsPerSecond: 1_000,
      webhookLimits: {
        endpoints: { perMerchant: 100, perHost: 100, newPerUrl: 100 },
        testSeconds: 0,
        replaysAtOnce: 100,
      },
      ...changes,
    },
  );
  const browser = (address = anyAddress()) => openBrowser(url, address, dependencies.publicUrl);
  const createAccount: RunningConsole['createAccount'] = async (own, email, name) => {
    // A busy machine may refuse them with 503.
    const post = (path: string, body: object) =>
      waitFor(
        async () => {
          const answer = await own.post(path, body);
          return answer.status === 503 ? undefined : answer;
        },
        { what: 'an answer other than 503' },
      );
    const sent = await post('/sign-up', { email });
    if (sent.status !== 202) throw new Error(`no sign-up: ${sent.text}`);
    const path = findLink(await mail.waitFor(email));
    const body = { password: goodPassword, merchant_name: name };
    const answer = await post(path, body);
    if (answer.status !== 201) throw new Error(`not signed up: ${answer.text}`);
    return answer.data;
  };
  return {
    url,
    dependencies,
    mail,
    createAccount,
    logged: () => lines.join('\n'),
    browser,
    async signUp(name = 'Tea shop') {
      const email = `owner-${randomInt(1e12)}@example.com`;
      const own = browser();
      const answer = await createAccount(own, email, name);
      const { session } = answer;
      const created = await own.post('/credentials/api-keys', { kind: 'secret', name: 'first secret key' });
      const { value: secretKey } = created.data as NewApiKeyResponse;
      const { api_keys: apiKeys, signing_keys: signingKeys } = (await own.get('/credentials'))
        .data as CredentialsView;
      const publicKey = String(apiKeys.find(({ kind }) => kind === 'public')?.value);
      const revealed = await own.post(`/credentials/signing-keys/${signingKeys[0]?.id}/reveal`);
      const { secret: signingSecret } = revealed.data as RevealedSecret;
      const identity = await own.post('/credentials/identity-secret/reveal');
      const { secret: identitySecret } = identity.data as RevealedSecret;
      return {
        browser: own,
        email,
        merchant: { id: session.merchant.id, secretKey, publicKey, signingSecret, identitySecret },
      };
    },
    close: () => cleanup.run(),
  };
}

function openBrowser(url: string, address: string, origin: string): Browser {
  const agent = supertest.agent(url);
  const send: Browser['send'] = async (method, path, body, headers = {}) => {
    const name = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    const sent = agent[name](`/api/console${path}`).set({
      'x-forwarded-for': address,
      'x-rewardhook-console': '1',
      origin,
      ...headers,
    });
    const answer = await (body === undefined ? sent : sent.send(body as object));
    const json = (answer.body ?? {}) as Answer['body'] & { data: never };
    return { status: answer.status, headers: answer.headers, text: answer.text, body: json, data: json.data };
  };
  return {
    send,
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
  };
}

function anyAddress(): string {
  return `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
}
