import { callApi, failed } from './call-api.ts';
import { forgetCode, rememberCode, rememberedCode } from './remembered-code.ts';

export type { RewardhookError } from './call-api.ts';

/** The merchant's public key (`svc_pk_…`) and the address of the Rewardhook API. */
export interface Settings {
  publicKey: string;
  apiUrl: string;
}

/** The member who is signed in. */
export interface Member {
  /** The merchant's id of the member: the `member_id` of his orders. */
  userId: string;
  /** HMAC-SHA256 of the user id in hexadecimal, made by the merchant's server; some merchants require it. */
  userHash?: string;
}

/** What boot tells of a member. */
export interface Booted {
  /** His own code, to give to others. */
  referralCode: string;
  /** His own share link; null while the merchant has no landing URL. */
  shareLink: string | null;
  /** Whether somebody brought him. */
  referrerLinked: boolean;
  /** What became of the code that he came with, such as `linked` or `no_code`. */
  link: string;
}

let settings: Settings | undefined;

/** Call it on every page: remembers the referral code in the page's address. Never throws. */
export function init(given: Settings): void {
  settings = given;
  rememberCode();
}

/**
 * Call it when a member is signed in: links him to whoever brought him, and returns his own code and link.
 * Rejects with a RewardhookError; one that nobody awaits does not disturb the page.
 */
export function boot(member: Member): Promise<Booted> {
  const booting = bootMember(member);
  booting.catch(() => undefined);
  return booting;
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? withoutSlash(url.slice(0, -1)) : url;
}

async function bootMember({ userId, userHash }: Member): Promise<Booted> {
  if (!settings) throw failed('not_initialized', 'Call Rewardhook.init first.');
  const came = rememberedCode();
  const url = `${withoutSlash(settings.apiUrl)}/api/open/members/boot/`;
  // Undefined fields are left out of the JSON.
  const body = { user_id: userId, user_hash: userHash, referral_code: came?.code, click_id: came?.click };
  const data = (await callApi(url, settings.publicKey, body)) as {
    referral_code: string;
    share_link: string | null;
    referrer_linked: boolean;
    link: string;
  };
  // A code that was not used yet is kept: another member may sign up at this device.
  if (came && /^(linked|expired|unknown_code)$/.test(data.link)) forgetCode(came.code);
  return {
    referralCode: data.referral_code,
    shareLink: data.share_link,
    referrerLinked: data.referrer_linked,
    link: data.link,
  };
}
