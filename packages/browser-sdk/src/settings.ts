import { rewardhookError } from './call-api.ts';
import type { RewardhookError } from './call-api.ts';

/** The merchant's public key (`svc_pk_…`) and the URL of the Rewardhook API. */
export interface Settings {
  publicKey: string;
  apiUrl: string;
  /**
   * Whether the referral code may be stored on the visitor's device. With false it is kept until the page is left, and a later
   * `init` without it stores it. Default true.
   */
  persist?: boolean;
}

/** The error of settings that cannot work: `params` has the problem of each field. */
export function checkSettings({ publicKey, apiUrl }: Partial<Settings>): RewardhookError | undefined {
  const params: Record<string, string> = {};
  if (!/^svc_pk_./.test(String(publicKey)))
    params['publicKey'] = /^svc_sk_/.test(String(publicKey))
      ? 'is a secret key, which must never be in a page: revoke it, and use a public key'
      : 'must be a public key, which begins with svc_pk_';
  if (!/^https?:\/\/[^\s/]/.test(String(apiUrl)))
    params['apiUrl'] = 'must be the URL of the API, such as https://api.example.com';
  const problems = Object.entries(params).map(([name, problem]) => `${name} ${problem}.`);
  if (problems.length === 0) return undefined;
  return Object.assign(rewardhookError('invalid_settings', problems.join(' ')), { params });
}
