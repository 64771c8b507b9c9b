import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { goodPassword, openConsole } from '../../testing/open-console.ts';
import type { RunningConsole } from '../../testing/open-console.ts';
import { openPasswords } from './passwords.ts';

const next = 'a password that I remember';

describe('A password that is changed after it was verified', () => {
  let flow: Flow;
  let running: RunningConsole;
  /** Runs between the verification of a password and its consequences. */
  let meanwhile: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    const passwords = await openPasswords();
    const verify: typeof passwords.verify = async (passwordHash, password) => {
      const right = await passwords.verify(passwordHash, password);
      const happens = meanwhile;
      meanwhile = undefined;
      await happens?.();
      return right;
    };
    running = await openConsole(flow.environment, {}, { passwords: { ...passwords, verify } });
  });
  afterAll(async () => {
    await running.close();
    await flow.close();
  });

  /** A user whose password is changed right after it was verified. */
  async function openAccount() {
    const { browser, email } = await running.signUp();
    const { link } = (await flow.admin('user reset-password', { email })) as { link: string };
    meanwhile = async () => {
      const reset = await running.browser().post(new URL(link).pathname, { password: next });
      expect(reset.status).toBe(204);
    };
    return { browser, email };
  }
  const signIn = (email: string, password: string) => running.browser().post('/sign-in', { email, password });

  it('A password that is changed after it was verified does not sign a user in', async () => {
    const { email } = await openAccount();
    const thief = running.browser();
    expect((await thief.post('/sign-in', { email, password: goodPassword })).status).toBe(401);
    expect((await thief.get('/session')).status).toBe(401);
    expect((await signIn(email, next)).status).toBe(200);
  });

  it('A password that is changed after it was verified cannot change the password', async () => {
    const { browser, email } = await openAccount();
    const change = { current_password: goodPassword, new_password: "the thief's own password" };
    expect((await browser.post('/password', change)).status).toBe(401);
    expect((await signIn(email, change.new_password)).status).toBe(401);
    expect((await signIn(email, next)).status).toBe(200);
  });
});
