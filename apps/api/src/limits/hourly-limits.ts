import type { Counter, Velocity, WindowCount } from '@rewardhook/pipeline';
import type { HashAddress } from '@rewardhook/process';
import { rateLimited } from '../http/api-error.ts';

/** Maximum numbers per hour. */
export interface HourlyMaxima {
  membersPerMerchant: number;
  membersPerAddress: number;
  clicksPerCode: number;
  clicksPerAddress: number;
}

/** Limits what can be stored with nothing but a public key or a share link. */
export interface HourlyLimits {
  /** Counts a member that a request with the public key is about to store. @throws ApiError `rate_limited` */
  countMember(merchantId: string, address: string | undefined): Promise<void>;
  /** Counts a click, and returns whether it may be stored. */
  countClick(merchantId: string, code: string, address: string | undefined): Promise<boolean>;
}

/** Opens the limits. Client addresses are counted separately for each merchant. */
export function openHourlyLimits({
  velocity,
  hashAddress,
  maxima,
}: {
  velocity: Velocity;
  hashAddress: HashAddress;
  maxima: HourlyMaxima;
}): HourlyLimits {
  const count = (
    merchantId: string,
    counter: Counter,
    addressCounter: string,
    address: string | undefined,
  ) => {
    const counters = [counter];
    if (address !== undefined) counters.push({ name: addressCounter, of: hashAddress(address) });
    return velocity.count(merchantId, counters);
  };
  return {
    async countMember(merchantId, address) {
      const counts = await count(merchantId, { name: 'members', of: 'all' }, 'members-of-address', address);
      const over = exceeded(counts, [maxima.membersPerMerchant, maxima.membersPerAddress]);
      if (over)
        throw rateLimited(
          'Too many new members within an hour. Try again later.',
          over.endsInMs / 1_000,
          'new_members',
        );
    },
    async countClick(merchantId, code, address) {
      const counts = await count(merchantId, { name: 'clicks', of: code }, 'clicks-of-address', address);
      return exceeded(counts, [maxima.clicksPerCode, maxima.clicksPerAddress]) === undefined;
    },
  };
}

/** The count that is above its maximum; of several, the one whose window ends last. */
function exceeded(counts: WindowCount[], maxima: number[]): WindowCount | undefined {
  return counts
    .filter(({ count }, index) => count > (maxima[index] ?? Infinity))
    .toSorted((one, other) => other.endsInMs - one.endsInMs)[0];
}
