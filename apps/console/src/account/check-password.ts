import type { Request } from 'express';
import { noteAudit } from '@rewardhook/database';
import type { User } from '@rewardhook/database';
import type { ConsoleDependencies } from '../dependencies.ts';
import { refuse } from '../http/console-error.ts';
import type { Session } from './sessions.ts';

/**
 * Returns the user if the password is right. An unknown e-mail address takes the same steps, the same time and the same
 * error.
 * @throws ConsoleError `wrong_credentials`, `rate_limited`
 */
export async function checkPassword(
  { limits, passwords, device, log }: ConsoleDependencies,
  request: Request,
  given: { email: string; password: string; find(): Promise<User | undefined> },
): Promise<User> {
  const address = request.ip ?? '';
  const known = device.read(request, given.email);
  await limits.tryPassword(address, given.email, known);
  const user = await given.find();
  const right = await passwords.verify(user?.passwordHash, given.password);
  if (!user || !right) {
    noteAudit({ subjectId: user?.id ?? null });
    log.warn('login failed', { address });
    throw refuse('wrong_credentials');
  }
  await limits.forget(address, given.email, known);
  return user;
}

/**
 * For what shows a secret: a browser that someone left open shows none.
 * @throws ConsoleError `password_required` unless the password was entered in this session within the last 10 minutes
 */
export function requireEnteredPassword({ enteredPassword }: Session): void {
  if (!enteredPassword) throw refuse('password_required');
}
