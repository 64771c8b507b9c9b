import { createHash, randomBytes } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request, Response } from 'express';

/** The cookie of a session. Only the browser has the id; the server stores its SHA-256. */
export interface SessionCookie {
  /** Sends the browser a new random id and returns its SHA-256. */
  issue(response: Response): Buffer;
  /** The SHA-256 of the id that the browser sent; undefined when it sent none. */
  read(request: Request): Buffer | undefined;
  remove(response: Response): void;
}

/** 256 random bits in base64url. */
const idForm = /^[\w-]{43}$/;

/**
 * Opens the cookie. The browser keeps it for `maxAgeSeconds`; the database decides how long the session lasts.
 *
 * With https the name begins with `__Host-`: browsers accept it only from this host and over https, so that no other
 * subdomain can set one.
 */
export function openSessionCookie({
  https,
  maxAgeSeconds,
}: {
  https: boolean;
  maxAgeSeconds: number;
}): SessionCookie {
  const name = https ? '__Host-rewardhook' : 'rewardhook';
  const write = (response: Response, value: string, maxAge: number) =>
    response.append(
      'set-cookie',
      stringifySetCookie({ name, value, maxAge, path: '/', httpOnly: true, secure: https, sameSite: 'lax' }),
    );
  const digest = (id: string) => createHash('sha256').update(id).digest();
  return {
    issue(response) {
      const id = randomBytes(32).toString('base64url');
      write(response, id, maxAgeSeconds);
      return digest(id);
    },
    read(request) {
      const id = parseCookie(request.get('cookie') ?? '')[name];
      return id !== undefined && idForm.test(id) ? digest(id) : undefined;
    },
    remove: (response) => void write(response, '', 0),
  };
}
