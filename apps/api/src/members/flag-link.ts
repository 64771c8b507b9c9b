import type { Velocity } from '@rewardhook/pipeline';
import type { HashAddress, Logger } from '@rewardhook/process';

/** What looks odd about a link that a browser is about to make; it is made all the same. */
export type LinkFlag = 'code_velocity' | 'address_velocity';

/** Counts a link that is about to be made, and tells its flags. Never fails. */
export type FlagLink = (link: {
  merchantId: string;
  code: string;
  /** The client's address; undefined when the connection is gone already. */
  address: string | undefined;
}) => Promise<LinkFlag[]>;

export interface FlagLinkOptions {
  velocity: Velocity;
  hashAddress: HashAddress;
  /** Most links an hour that carry no flag. */
  limits: { perCode: number; perAddress: number };
  log: Logger;
}

/** Flags whatever is over a limit, and nothing while Redis is away: a shop's sign-ups are worth more than a flag. */
export function openFlagLink({ velocity, hashAddress, limits, log }: FlagLinkOptions): FlagLink {
  return async ({ merchantId, code, address }) => {
    const counted = [{ name: 'code', of: code }];
    if (address !== undefined) counted.push({ name: 'address', of: hashAddress(address) });
    try {
      const [ofCode = 0, ofAddress = 0] = await velocity.count(merchantId, counted);
      const flags: LinkFlag[] = [];
      if (ofCode > limits.perCode) flags.push('code_velocity');
      if (ofAddress > limits.perAddress) flags.push('address_velocity');
      return flags;
    } catch (error) {
      log.warn('a link was not checked for velocity', { merchantId, error });
      return [];
    }
  };
}
