import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLink, startMailServer } from '@rewardhook/testing/mail';
import { removeStackData, startStack } from '@rewardhook/testing/servers';
import { temporaryFolder } from '@rewardhook/testing';
import type { Stack } from '@rewardhook/testing/servers';
import { openCleanup } from '../harness/cleanup.ts';

/** A merchant with the session of its owner in the console. */
export interface AttackedMerchant {
  id: string;
  secretKey: string;
  publicKey: string;
  /** The headers of a request to the console. */
  session: Record<string, string>;
}

/** The service as in production: separate processes, built code, servers that sync to the disk. */
export interface AttackedStack extends Stack {
  signUp(name: string): Promise<AttackedMerchant>;
  /** The most memory that a process has had, in MB, by its name. Servers are left out. */
  peakMegabytes(): Record<string, number>;
  close(): Promise<void>;
}

/** Starts the service with a console that sends mail, so that merchants can sign up. */
export async function openAttackedStack(): Promise<AttackedStack> {
  const cleanup = openCleanup();
  const mail = await startMailServer();
  cleanup.add(() => mail.close());
  const folder = temporaryFolder();
  cleanup.add(() => folder.remove());
  const dataDir = join(folder.path, 'stack');
  const env = {
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    MAIL_FROM: 'Rewardhook <console@rewardhook.example>',
  };
  const stack = await startStack({ dataDir, env });
  cleanup.add(async () => {
    await stack.stop();
    removeStackData(dataDir);
  });

  const post = (path: string, body: object, session: Record<string, string> = {}) =>
    fetch(`${stack.consoleUrl}/api/console${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-rewardhook-console': '1',
        origin: stack.consoleUrl,
        ...session,
      },
      body: JSON.stringify(body),
    });

  return {
    ...stack,
    async signUp(name) {
      const email = `${name}@example.com`;
      await post('/sign-up', { email });
      const link = findLink(await mail.waitFor(email));
      const answer = await post(link, { password: 'correct horse battery staple', merchant_name: name });
      if (answer.status !== 201) throw new Error(`not signed up: ${await answer.text()}`);
      const { data } = (await answer.json()) as {
        data: { session: { merchant: { id: string } } };
      };
      const cookie = answer.headers.getSetCookie().map((one) => one.split(';')[0]);
      const session = { cookie: cookie.join('; '), 'x-rewardhook-console': '1' };
      const createKey = async (kind: 'secret' | 'public') => {
        const created = await post('/credentials/api-keys', { kind, name: kind }, session);
        if (created.status !== 201) throw new Error(`no key: ${await created.text()}`);
        const { data: key } = (await created.json()) as { data: { value: string } };
        return key.value;
      };
      return {
        id: data.session.merchant.id,
        secretKey: await createKey('secret'),
        publicKey: await createKey('public'),
        session,
      };
    },
    peakMegabytes: () =>
      Object.fromEntries(
        stack
          .processes()
          .filter(({ name }) => name in stack.healthUrls)
          .map(({ name, pid }) => [
            name,
            Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024,
          ]),
      ),
    close: () => cleanup.run(),
  };
}
