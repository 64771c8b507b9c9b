import type { Velocity } from '@rewardhook/pipeline';
import type { HashAddress } from '@rewardhook/process';

/** What looks odd about a link that a browser is about to make. */
export type LinkFlag = 'code_velocity' | 'address_velocity' | 'no_click' | 'foreign_origin';

/** How somebody came to the link that is about to be made. */
export interface Arrival {
  merchantId: string;
  /** The referrer's code, in capitals. */
  code: string;
  /** The client's address; undefined when the connection is gone already. */
  address: string | undefined;
  /** Whether the merchant's server vouches for the member by a right `user_hash`. */
  verified: boolean;
  /** Whether a click on the share link of this code is known. */
  clicked: boolean;
  /** Whether the call came from a page of the merchant's. */
  fromOwnPage: boolean;
}

/** Counts a link that is about to be made, and returns its flags. Never fails. */
export type FlagLink = (arrival: Arrival) => Promise<LinkFlag[]>;

export interface FlagLinkOptions {
  velocity: Velocity;
  hashAddress: HashAddress;
  /** Most links an hour that carry no flag. */
  limits: { perCode: number; perAddress: number };
}

/** Flags links over a limit and, for a member without a right `user_hash`, a missing click and a foreign origin. */
export function openFlagLink({ velocity, hashAddress, limits }: FlagLinkOptions): FlagLink {
  return async ({ merchantId, code, address, verified, clicked, fromOwnPage }) => {
    const counted = [{ name: 'code', of: code }];
    if (address !== undefined) counted.push({ name: 'address', of: hashAddress(address) });
    const [ofCode, ofAddress] = await velocity.count(merchantId, counted);
    const flags: LinkFlag[] = [];
    if ((ofCode?.count ?? 0) > limits.perCode) flags.push('code_velocity');
    if ((ofAddress?.count ?? 0) > limits.perAddress) flags.push('address_velocity');
    if (!verified && !clicked) flags.push('no_click');
    if (!verified && !fromOwnPage) flags.push('foreign_origin');
    return flags;
  };
}
