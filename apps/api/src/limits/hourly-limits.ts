import type { LimitState, OpenRateLimit, RateLimit } from '@rewardhook/pipeline';
import type { HashAddress } from '@rewardhook/process';
import { rateLimited } from '../http/api-error.ts';
import type { ApiLimits } from './default-limits.ts';

/** A link beyond a limit is stored, with a flag. */
export type VelocityFlag = 'code_velocity' | 'address_velocity';

/** Limits what can be stored with nothing but a public key or a share link. */
export interface HourlyLimits {
  /** Counts a member that a request with the public key is about to store. @throws ApiError `rate_limited` */
  countMember(merchantId: string, address: string | undefined): Promise<void>;
  /** Counts a click, and returns whether it may be stored. */
  countClick(merchantId: string, code: string, address: string | undefined): Promise<boolean>;
  /** Counts a link that is about to be stored, and returns its flags. */
  countLink(merchantId: string, code: string, address: string | undefined): Promise<VelocityFlag[]>;
}

const hourSeconds = 3_600;

/** Opens the limits. Client addresses are counted separately for each merchant. */
export function openHourlyLimits(
  openRateLimit: OpenRateLimit,
  hashAddress: HashAddress,
  limits: ApiLimits,
): HourlyLimits {
  const open = (name: string, points: number) => openRateLimit({ name, points, seconds: hourSeconds });
  const members = open('members', limits.membersPerMerchant);
  const membersOfAddress = open('members_of_address', limits.membersPerAddress);
  const clicks = open('clicks', limits.clicksPerCode);
  const clicksOfAddress = open('clicks_of_address', limits.clicksPerAddress);
  const links = open('links', limits.linksPerCode);
  const linksOfAddress = open('links_of_address', limits.linksPerAddress);

  const countAddress = async (
    limit: RateLimit,
    merchantId: string,
    address: string | undefined,
  ): Promise<LimitState | undefined> =>
    address === undefined ? undefined : limit.count(`${merchantId}:${hashAddress(address)}`);
  return {
    // The address first: what is refused there does not count for the merchant or the code.
    async countMember(merchantId, address) {
      refuseMember(await countAddress(membersOfAddress, merchantId, address));
      refuseMember(await members.count(merchantId));
    },
    async countClick(merchantId, code, address) {
      const ofAddress = await countAddress(clicksOfAddress, merchantId, address);
      return ofAddress?.allowed !== false && (await clicks.count(`${merchantId}:${code}`)).allowed;
    },
    async countLink(merchantId, code, address) {
      const [ofCode, ofAddress] = await Promise.all([
        links.count(`${merchantId}:${code}`),
        countAddress(linksOfAddress, merchantId, address),
      ]);
      const flags: VelocityFlag[] = [];
      if (!ofCode.allowed) flags.push('code_velocity');
      if (ofAddress?.allowed === false) flags.push('address_velocity');
      return flags;
    },
  };
}

function refuseMember(state: LimitState | undefined): void {
  if (state?.allowed === false)
    throw rateLimited(
      'Too many new members within an hour. Try again later.',
      state.resetMs / 1_000,
      'new_members',
    );
}
