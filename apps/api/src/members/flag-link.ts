import type { Velocity } from '@rewardhook/pipeline';
import type { HashAddress } from '@rewardhook/process';

/** A sign of abuse of a link that a browser requests. */
export type LinkFlag = 'code_velocity' | 'address_velocity' | 'no_click' | 'foreign_origin';

/** The link that is about to be stored. */
export interface RequestedLink {
  merchantId: string;
  /** The code of the referrer, in capital letters. */
  code: string;
  /** The address of the client; undefined when the connection is closed already. */
  address: string | undefined;
  /** Whether the request has a valid `user_hash`. */
  verified: boolean;
  /** Whether a click on the share link of this code is known. */
  clicked: boolean;
  /** Whether the request came from a page of the merchant. */
  fromMerchantPage: boolean;
}

/** Counts a link that is about to be stored, and returns its flags. Never fails. */
export type FlagLink = (link: RequestedLink) => Promise<LinkFlag[]>;

/** Options of `openFlagLink`. */
export interface FlagLinkOptions {
  velocity: Velocity;
  hashAddress: HashAddress;
  /** Number of links per hour above which links are flagged. */
  limits: { perCode: number; perAddress: number };
}

/** Flags links above a limit and, for members without a valid `user_hash`, a missing click and a foreign origin. */
export function openFlagLink({ velocity, hashAddress, limits }: FlagLinkOptions): FlagLink {
  return async ({ merchantId, code, address, verified, clicked, fromMerchantPage }) => {
    const counters = [{ name: 'code', of: code }];
    if (address !== undefined) counters.push({ name: 'address', of: hashAddress(address) });
    const [ofCode, ofAddress] = await velocity.count(merchantId, counters);
    const flags: LinkFlag[] = [];
    if ((ofCode?.count ?? 0) > limits.perCode) flags.push('code_velocity');
    if ((ofAddress?.count ?? 0) > limits.perAddress) flags.push('address_velocity');
    if (!verified && !clicked) flags.push('no_click');
    if (!verified && !fromMerchantPage) flags.push('foreign_origin');
    return flags;
  };
}
