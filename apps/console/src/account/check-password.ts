import type { Request } from 'express';
import { noteAudit } from '@rewardhook/database';
import type { User } from '@rewardhook/database';
import type { ConsoleDependencies } from '../dependencies.ts';
import { refuse } from '../http/console-error.ts';

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
