/** Limits of the API that are the same for every installation. */
export interface ApiLimits {
  /** Order requests that a process handles at a time. More wait, and are refused when that takes too long. */
  requestsInProgress: number;
  /** Unknown keys per second from one client address; 30 seconds of them at once. */
  unknownKeysPerSecond: number;
  /** Links per hour with one referral code, and from one client address; beyond either a referral is flagged. */
  linksPerCode: number;
  linksPerAddress: number;
  /** New members per hour that boot creates for one merchant, and from one client address; beyond either it answers 429. */
  membersPerMerchant: number;
  membersPerAddress: number;
  /** Clicks per hour that are stored for one share link, and from one client address. */
  clicksPerCode: number;
  clicksPerAddress: number;
  /** Minimum number of seconds between two test events of a merchant. */
  testSeconds: number;
}

export const defaultLimits: ApiLimits = {
  requestsInProgress: 16,
  unknownKeysPerSecond: 10,
  linksPerCode: 30,
  linksPerAddress: 10,
  membersPerMerchant: 100_000,
  membersPerAddress: 300,
  clicksPerCode: 10_000,
  clicksPerAddress: 300,
  testSeconds: 1,
};
