import type { Admin, Stack } from '@rewardhook/local-stack';
import { callPatiently } from './call-patiently.ts';

/** A login of the demo's console. */
export interface DemoLogin {
  email: string;
  password: string;
}

/** Not a secret: the demo listens on this machine only. */
const login: DemoLogin = { email: 'demo@example.com', password: 'tea cups for two' };

/** Creates the demo's login, an owner of the merchant: invites it and accepts the invitation as the page would. */
export async function openLogin(
  admin: Admin,
  stack: Stack,
  consoleUrl: string,
  merchantId: string,
): Promise<DemoLogin> {
  const { link } = await admin<{ link: string }>(
    'merchant',
    'invite',
    '--merchant',
    merchantId,
    '--email',
    login.email,
  );
  const token = new URL(link).pathname.split('/').at(-1);
  const response = await callPatiently(
    stack,
    'the console to accept the login',
    `${consoleUrl}/api/console/invitations/${token}/accept`,
    { headers: { 'x-rewardhook-console': '1', origin: consoleUrl }, body: { password: login.password } },
  );
  if (!response.ok)
    throw new Error(`The console did not accept the login: ${response.status} ${await response.text()}`);
  return login;
}
