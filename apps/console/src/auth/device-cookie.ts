import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request, Response } from 'express';

/**
 * Recognises the browsers that an account has signed in with, so that wrong passwords from elsewhere do not lock the
 * owner out there. The cookie does not sign a user in: it only selects the limit that wrong passwords count against.
 */
export interface DeviceCookie {
  /** Makes the browser known for an e-mail address; a browser that is already known keeps its id. */
  issue(request: Request, response: Response, email: string): void;
  /** The id of the browser; undefined when it is not known for this e-mail address. */
  read(request: Request, email: string): string | undefined;
}

/** The longest time for which browsers keep a cookie. */
const maxAgeSeconds = 400 * 86_400;

/**
 * Opens the cookies: one for each account, with a random id and an HMAC of id and e-mail address under a key derived from
 * SECRETS_KEY. The name of the cookie does not reveal the address.
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
          maxAge: maxAgeSeconds,
          path: '/',
          httpOnly: true,
          secure: https,
          sameSite: 'lax',
        }),
      );
    },
  };
}
