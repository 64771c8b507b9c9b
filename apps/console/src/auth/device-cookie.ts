import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request, Response } from 'express';

/**
 * Marks the browsers that an account has signed in with, so that somebody else's wrong passwords do not lock its owner
 * out there. It signs nobody in: it only decides by which limit wrong passwords count.
 */
export interface DeviceCookie {
  /** Marks the browser as known for an e-mail; one that is known already stays the same device. */
  issue(request: Request, response: Response, email: string): void;
  /** The id of the device; undefined when it is not known for this e-mail. */
  read(request: Request, email: string): string | undefined;
}

/** As long as browsers keep a cookie. */
const keptSeconds = 400 * 86_400;

/**
 * A cookie for each account: a random id and an HMAC of id and e-mail, keyed from SECRETS_KEY. Its name tells no e-mail.
 */
export function openDeviceCookie({
  https,
  secretsKey,
}: {
  https: boolean;
  secretsKey: string;
}): DeviceCookie {
  const key = createHmac('sha256', secretsKey).update('devices of the console').digest();
  const hmac = (text: string) => createHmac('sha256', key).update(text).digest('base64url');
  const nameOf = (email: string) =>
    `${https ? '__Host-' : ''}rewardhook-device-${hmac(`name ${email}`).slice(0, 11)}`;
  const read: DeviceCookie['read'] = (request, email) => {
    const value = parseCookie(request.get('cookie') ?? '')[nameOf(email)] ?? '';
    const [id = '', signature = ''] = value.split('.');
    const [given, right] = [Buffer.from(signature), Buffer.from(hmac(`${id} ${email}`))];
    return given.length === right.length && timingSafeEqual(given, right) ? id : undefined;
  };
  return {
    read,
    issue(request, response, email) {
      const id = read(request, email) ?? randomBytes(16).toString('base64url');
      const value = `${id}.${hmac(`${id} ${email}`)}`;
      response.append(
        'set-cookie',
        stringifySetCookie({
          name: nameOf(email),
          value,
          maxAge: keptSeconds,
          path: '/',
          httpOnly: true,
          secure: https,
          sameSite: 'lax',
        }),
      );
    },
  };
}
