import { waitFor } from '@rewardhook/local-stack';
import type { Admin } from '@rewardhook/local-stack';

/** A login of the demo's console. */
export interface DemoLogin {
  email: string;
  password: string;
}

/** Not a secret: the demo listens on this machine only. */
const login: DemoLogin = { email: 'demo@example.com', password: 'tea cups for two' };

/** Creates the demo's login, an owner of the merchant: invites it and accepts the invitation as the page would. */
export async function openLogin(admin: Admin, consoleUrl: string, merchantId: string): Promise<DemoLogin> {
  const { link } = await admin<{ link: string }>(
    'merchant',
    'invite',
    '--merchant',
    merchantId,
    '--email',
    login.email,
  );
  const token = new URL(link).pathname.split('/').at(-1);
  const accept = async () => {
    const response = await fetch(`${consoleUrl}/api/console/invitations/${token}/accept`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-rewardhook-console': '1', origin: consoleUrl },
      body: JSON.stringify({ password: login.password }),
    });
    if (response.status >= 500) throw new Error(`the console answered ${response.status}`);
    return response;
  };
  // With `npm run dev` the console may restart at any moment.
  const response = await waitFor(accept, { deadlineMs: 30_000, what: 'the console to accept the login' });
  if (!response.ok)
    throw new Error(`The console did not accept the login: ${response.status} ${await response.text()}`);
  return login;
}
