import type { Admin, Stack } from '@rewardhook/local-stack';
import { callPatiently } from './call-patiently.ts';

/** A login of the demo's console. */
export interface DemoLogin {
  email: string;
  password: string;
}

/** Calls the API of the console as the person of the login. Returns the data of the answer. @throws when it is an error */
export type CallConsole = <T>(method: 'GET' | 'POST', path: string, body?: unknown) => Promise<T>;

/** Not a secret: the demo listens on this machine only. */
const login: DemoLogin = { email: 'demo@example.com', password: 'tea cups for two' };

/** Creates the demo's login, an owner of the merchant: invites it and accepts the invitation as the page would. */
export async function openLogin(
  admin: Admin,
  stack: Stack,
  consoleUrl: string,
  merchantId: string,
): Promise<{ login: DemoLogin; callConsole: CallConsole }> {
  const { link } = await admin<{ link: string }>(
    'merchant',
    'invite',
    '--merchant',
    merchantId,
    '--email',
    login.email,
  );
  const token = new URL(link).pathname.split('/').at(-1);
  const headers = { 'x-rewardhook-console': '1', origin: consoleUrl };
  const response = await callPatiently(
    stack,
    'the console to accept the login',
    `${stack.consoleUrl}/api/console/invitations/${token}/accept`,
    { headers, body: { password: login.password } },
  );
  if (!response.ok)
    throw new Error(`The console did not accept the login: ${response.status} ${await response.text()}`);
  const cookie = response.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const callConsole: CallConsole = async <T>(method: 'GET' | 'POST', path: string, body?: unknown) => {
    const answer = await fetch(`${stack.consoleUrl}/api/console${path}`, {
      method,
      headers: { ...headers, cookie, 'content-type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { data: T }).data;
  };
  return { login, callConsole };
}
