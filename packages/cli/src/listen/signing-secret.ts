import { createHmac } from 'node:crypto';

/**
 * The secret that `listen` and `trigger` sign with when none is given. It follows from the secret key, so it stays the same
 * on every run and every machine, and no file is needed. The key cannot be computed from it.
 */
export function localSigningSecret(secretKey: string): string {
  return `whsec_${createHmac('sha256', secretKey).update('rewardhook listen: signing secret').digest('base64')}`;
}
