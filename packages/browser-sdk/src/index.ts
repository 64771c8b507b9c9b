/** The browser SDK: `init` on every page, `boot` when a member is signed in. */
import { callApi, rewardhookError } from './call-api.ts';
import type { RewardhookError } from './call-api.ts';
import { watchNavigation, whenShown } from './navigation.ts';
import { checkSettings } from './settings.ts';
import type { Settings } from './settings.ts';
import { forgetCodes, readCode, setCodesPersistent, storeCode, useCode } from './stored-code.ts';
import type { NoCodeReason } from './stored-code.ts';

export type { RewardhookError, RewardhookErrorCode } from './call-api.ts';
export type { Settings } from './settings.ts';
export type { NoCodeReason } from './stored-code.ts';

/** The member who is signed in. */
export interface Member {
  /** The merchant's id of the member: the `member_id` of their orders. */
  userId: string;
  /** HMAC-SHA256 of the user id in hexadecimal, computed by the merchant's server. Required unless the merchant turned that off. */
  userHash?: string | undefined;
  /** The code that the member typed into a field of your page. It is used instead of a stored one. */
  referralCode?: string | undefined;
}

/** What became of the referral code. A later version of the API can add results. */
export type LinkResult =
  | 'linked'
  | 'already_linked'
  | 'no_code'
  | 'unknown_code'
  | 'own_code'
  | 'cycle'
  | 'not_new'
  | 'expired'
  | 'unverified'
  | (string & {});

/** The result of boot. Without a valid `userHash` it reveals nothing: all fields except `verified` and `link` are null. */
export interface Booted {
  /** Whether the call had a valid `userHash`. */
  verified: boolean;
  /** The member's own code, to share with others. */
  referralCode: string | null;
  /** The member's own share link; also null while the merchant has no landing URL. */
  shareLink: string | null;
  /** Whether the member has a referrer. */
  referrerLinked: boolean | null;
  /** The result of the referral code, such as `linked` or `no_code`; `unverified` without a hash. */
  link: LinkResult;
  /**
   * With `no_code`, why the SDK had none: `not_seen` (no page of this device had one), `malformed` (the one in the URL cannot be a
   * code), `used` (it was used on this device) or `outdated` (it is more than 90 days old). Otherwise null.
   */
  noCodeReason: NoCodeReason | null;
}

let settings: Settings | undefined;

/**
 * Call it on every page: stores the referral code in the URL of the page, and of the pages that a single-page app changes to.
 * Never throws. Returns the error if the settings are wrong, which is also written to the console and which boot rejects with.
 */
export function init(given: Settings): RewardhookError | undefined {
  settings = given;
  setCodesPersistent(given?.persist !== false);
  whenShown(() => {
    storeCode();
    watchNavigation(storeCode);
  });
  // Undefined settings switch the SDK off.
  const error = given && checkSettings(given);
  if (error) console.error(`Rewardhook: ${error.message}`);
  return error;
}

/** Deletes what the SDK has stored on this device, for example when the visitor withdraws their consent. */
export function forget(): void {
  forgetCodes();
}

/**
 * Call it when a member is signed in: links the member to the owner of the typed or stored code, and returns the member's
 * own code and share link. Rejects with a RewardhookError, which causes no page error when the promise is not awaited.
 * Call it again when a code arrives later, such as one that the member types.
 */
export function boot(member: Member): Promise<Booted> {
  const booting = bootMember(member);
  booting.catch(() => undefined);
  return booting;
}

async function bootMember(member: Member | undefined): Promise<Booted> {
  if (!settings) throw rewardhookError('not_initialized', 'Call Rewardhook.init first.');
  const wrong = checkSettings(settings);
  if (wrong) throw wrong;
  const { publicKey, apiUrl } = settings;
  if (!isText(member?.userId)) throw rewardhookError('invalid_member', 'Rewardhook.boot needs userId.');
  await new Promise<void>(whenShown);
  storeCode();
  const found = readCode();
  const stored = typeof found === 'string' ? undefined : found;
  const url = `${withoutSlashes(apiUrl)}/api/open/members/boot/`;
  // A field that the member left empty is no code.
  const typed = isText(member.referralCode) && member.referralCode.trim() ? member.referralCode : undefined;
  // Undefined fields are left out of the JSON.
  const body = {
    user_id: member.userId,
    user_hash: member.userHash,
    referral_code: typed ?? stored?.code,
    click_id: typed ? undefined : stored?.click,
  };
  const data = (await callApi(url, publicKey, body)) as {
    verified: boolean;
    referral_code: string | null;
    share_link: string | null;
    referrer_linked: boolean | null;
    link: string;
  };
  // An unused code is kept, because another member may sign up on this device. Without a hash the response does not say
  // whether the code was used, so it is deleted: a code is for one member. A member who was linked by a typed code does not
  // need the stored one either, but what is wrong with a typed code says nothing about the stored one.
  const spent = typed ? /^(linked|unverified)$/ : /^(linked|expired|unknown_code|unverified)$/;
  if (stored && spent.test(data.link)) useCode(stored);
  return {
    verified: data.verified,
    referralCode: data.referral_code,
    shareLink: data.share_link,
    referrerLinked: data.referrer_linked,
    link: data.link,
    noCodeReason: data.link === 'no_code' && typeof found === 'string' ? found : null,
  };
}

// Without a regular expression, which would take quadratic time for many slashes.
function withoutSlashes(url: string): string {
  return url.endsWith('/') ? withoutSlashes(url.slice(0, -1)) : url;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
