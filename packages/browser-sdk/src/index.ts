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
  /** The merchant's id of the member: the `member_id` of their orders. */
  userId: string;
  /** HMAC-SHA256 of the user id in hexadecimal, made by the merchant's server. Required unless the merchant says otherwise. */
  userHash?: string;
}

/** What boot returns. Without a right `userHash` it says nothing of the member: all but `verified` and `link` is null. */
export interface Booted {
  /** Whether a right `userHash` came with the call. */
  verified: boolean;
  /** The member's own code, to give to others. */
  referralCode: string | null;
  /** The member's own share link; null also while the merchant has no landing URL. */
  shareLink: string | null;
  /** Whether the member has a referrer. */
  referrerLinked: boolean | null;
  /** What became of the code that the member came with, such as `linked` or `no_code`; `unverified` without a hash. */
  link: string;
}

let settings: Settings | undefined;

/** Call it on every page: remembers the referral code in the page's address. Never throws. */
export function init(given: Settings): void {
  settings = given;
  rememberCode();
}

/**
 * Call it when a member is signed in: links the member to the owner of the code they came with, and returns the
 * member's own code and link. Rejects with a RewardhookError; one that nobody awaits does not disturb the page.
 */
export function boot(member: Member): Promise<Booted> {
  const booting = bootMember(member);
  booting.catch(() => undefined);
  return booting;
}

async function bootMember(member: Member | undefined): Promise<Booted> {
  if (!settings) throw failed('not_initialized', 'Call Rewardhook.init first.');
  const { publicKey, apiUrl } = settings;
  if (!isText(publicKey) || !isText(apiUrl))
    throw failed('invalid_settings', 'Rewardhook.init needs publicKey and apiUrl.');
  if (!isText(member?.userId)) throw failed('invalid_member', 'Rewardhook.boot needs userId.');
  const came = rememberedCode();
  const url = `${withoutSlashes(apiUrl)}/api/open/members/boot/`;
  // Undefined fields are left out of the JSON.
  const body = {
    user_id: member.userId,
    user_hash: member.userHash,
    referral_code: came?.code,
    click_id: came?.click,
  };
  const data = (await callApi(url, publicKey, body)) as {
    verified: boolean;
    referral_code: string | null;
    share_link: string | null;
    referrer_linked: boolean | null;
    link: string;
  };
  // A code that was not used yet is kept: another member may sign up at this device. Without a hash nobody says whether
  // it was used, and a code is for one member.
  if (came && /^(linked|expired|unknown_code|unverified)$/.test(data.link)) forgetCode(came.code);
  return {
    verified: data.verified,
    referralCode: data.referral_code,
    shareLink: data.share_link,
    referrerLinked: data.referrer_linked,
    link: data.link,
  };
}

// By hand: a regular expression for this takes quadratic time on many slashes.
function withoutSlashes(url: string): string {
  return url.endsWith('/') ? withoutSlashes(url.slice(0, -1)) : url;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
