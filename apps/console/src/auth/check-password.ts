import type { Request } from 'express';
import type { User } from '@rewardhook/database';
import type { ConsoleDependencies } from '../dependencies.ts';
import { wrongCredentials } from './wrong-credentials.ts';

/**
 * Returns the user when the password is theirs. For an unknown e-mail it does and answers the same, and takes as long.
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
    log.warn('a login failed', { address });
    throw wrongCredentials();
  }
  await limits.forget(address, given.email, known);
  return user;
}
