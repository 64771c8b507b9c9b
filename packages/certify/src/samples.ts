/** The marks of the events that the checks send. */
export type SampleOptions = { memberId: string; asLive: boolean };

/** An event as the service builds it. */
export type SampleEvent = {
  id: string;
  type: string;
  /** Present in test events only. */
  test?: true;
  /** Present in events of the test side only. */
  mode?: 'test';
  created_at: string;
  data: Record<string, unknown>;
};

/** A random id that shows where it comes from: `rwd_certify…`. */
export const sampleId = (prefix: string): string =>
  `${prefix}_certify${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}`;

/** A signing secret that no one has. */
export function unknownSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

/**
 * A secret with a key of zeros. HMAC fills a short key with zeros, so it signs as an empty key does, and the senders of
 * this repository refuse to sign with an empty one.
 */
export const emptySecret = { primary: '\0', all: [`whsec_${btoa('\0'.repeat(32))}`] };

/** An event of a type, with data of its own. */
export function sampleEvent(
  type: string,
  data: Record<string, unknown>,
  { asLive }: Pick<SampleOptions, 'asLive'>,
): SampleEvent {
  return {
    id: sampleId('evt'),
    type,
    ...(asLive ? {} : { test: true as const }),
    created_at: new Date().toISOString(),
    data,
  };
}

/** A `reward.issue` or `reward.revoke` of one point. */
export function rewardEvent(
  type: 'reward.issue' | 'reward.revoke',
  rewardId: string,
  { memberId, asLive }: SampleOptions,
): SampleEvent {
  // With microseconds, as the times of orders and referrals are stored.
  const now = new Date().toISOString().replace('Z', '000Z');
  const data = {
    reward: { id: rewardId, type: 'points', amount: 1, unit: 'points' },
    member_id: memberId,
    role: 'referee',
    referral: {
      id: sampleId('ref'),
      code: 'CERT1FY0',
      referrer_member_id: `${memberId}-referrer`,
      referee_member_id: memberId,
      linked_at: now,
    },
    order: {
      order_id: sampleId('order'),
      order_date: now,
      paid_at: now,
      order_amount: 30_000,
      paid_amount: 27_000,
      shipping_amount: 3_000,
    },
    program: { id: sampleId('prg'), version: 1, rule: 'default' },
    ...(type === 'reward.revoke' && { reason: 'cancelled' }),
  };
  return sampleEvent(type, data, { asLive });
}

/** The text in another notation: indented, with escapes for `/` and for everything that is not ASCII. */
export function inOtherNotation(event: SampleEvent): string {
  const withSlash = { ...event, note: 'certify/보상' };
  return JSON.stringify(withSlash, null, 2)
    .replaceAll('/', '\\/')
    .replaceAll(/[^\n -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The event with the longest order id and a field that fills it up to `bytes` of UTF-8. */
export function fillUp(event: SampleEvent, bytes: number): SampleEvent {
  const order = { ...(event.data['order'] as object), order_id: '🎁'.repeat(255) };
  const long = { ...event, data: { ...event.data, order }, padding: '' };
  const missing = bytes - new TextEncoder().encode(JSON.stringify(long)).length;
  return {
    ...long,
    padding: `${'보상'.repeat(Math.floor(missing / 6))}${'x'.repeat(missing % 6)}`,
  } as SampleEvent;
}
