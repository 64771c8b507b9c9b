import type { Sealer } from '@rewardhook/database';

/** Turns a place in a merchant's feed into a cursor that nobody else can make, and back. */
export interface FeedCursors {
  write(merchantId: string, position: number): string;
  /** Undefined for what is no cursor of this merchant's. */
  read(merchantId: string, cursor: string): number | undefined;
}

const form = /^feed ([1-9]\d{0,15}|0) (\S+)$/;

/** Cursors sealed with the service's key: opaque, and good for the merchant they were given to only. */
export function openFeedCursors(sealer: Sealer): FeedCursors {
  return {
    write: (merchantId, position) =>
      sealer.seal(`feed ${position} ${merchantId}`, { merchantId, purpose: 'feed-cursor' }),
    read(merchantId, cursor) {
      const [, position, owner] = form.exec(unseal(sealer, merchantId, cursor)) ?? [];
      return owner === merchantId ? Number(position) : undefined;
    },
  };
}

function unseal(sealer: Sealer, merchantId: string, text: string): string {
  try {
    return sealer.open(text, { merchantId, purpose: 'feed-cursor' });
  } catch {
    return '';
  }
}
