import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request, Response } from 'express';
import { deriveKeys } from '@rewardhook/process';

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
  const keys = deriveKeys(secretsKey, 'devices of the console');
  const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest('base64url');
  const nameOf = (key: Buffer, email: string) =>
    `${https ? '__Host-' : ''}rewardhook-device-${hmac(key, `name ${email}`).slice(0, 11)}`;
  const readWith = (key: Buffer, request: Request, email: string): string | undefined => {
    const value = parseCookie(request.get('cookie') ?? '')[nameOf(key, email)] ?? '';
    const [id = '', signature = ''] = value.split('.');
    const [given, right] = [Buffer.from(signature), Buffer.from(hmac(key, `${id} ${email}`))];
    return given.length === right.length && timingSafeEqual(given, right) ? id : undefined;
  };
  // Cookies that were issued under a former key stay valid as long as the ring contains it.
  const read: DeviceCookie['read'] = (request, email) => {
    for (const key of keys) {
      const id = readWith(key, request, email);
      if (id !== undefined) return id;
    }
    return undefined;
  };
  return {
    read,
    issue(request, response, email) {
      const id = read(request, email) ?? randomBytes(16).toString('base64url');
      const [key] = keys;
      const value = `${id}.${hmac(key, `${id} ${email}`)}`;
      response.append(
        'set-cookie',
        stringifySetCookie({
          name: nameOf(key, email),
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
