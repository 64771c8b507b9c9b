import { modeOf } from '@rewardhook/contract';
import type { FeedPosition, Sealer } from '@rewardhook/database';

/** Converts positions in a merchant's feed to cursors that cannot be forged, and back. */
export interface FeedCursors {
  write(merchantId: string, position: FeedPosition): string;
  /**
   * The position of a cursor; undefined when it is not a cursor of this merchant. One of a test side may be from before its
   * data was deleted, under another id: then the fingerprint shows it.
   */
  read(merchantId: string, cursor: string): FeedPosition | undefined;
}

/** The position, the merchant or `test`, and the fingerprint. */
const format = /^feed ([1-9]\d{0,15}|0) (\S+) (-?\d{1,19})$/;

/** Opens the cursors. They are encrypted with the key of the service, and valid only for their merchant, or for test sides. */
export function openFeedCursors(sealer: Sealer): FeedCursors {
  return {
    write(merchantId, { position, fingerprint }) {
      return sealer.seal(`feed ${position} ${ownerOf(merchantId)} ${fingerprint}`, contextOf(merchantId));
    },
    read(merchantId, cursor) {
      const [, position, owner, fingerprint = ''] = format.exec(decrypt(sealer, merchantId, cursor)) ?? [];
      return owner === ownerOf(merchantId) ? { position: Number(position), fingerprint } : undefined;
    },
  };
}

const ownerOf = (merchantId: string) => (modeOf(merchantId) === 'test' ? 'test' : merchantId);

const contextOf = (merchantId: string) => ({
  merchantId: ownerOf(merchantId),
  purpose: 'feed-cursor' as const,
});

function decrypt(sealer: Sealer, merchantId: string, cursor: string): string {
  try {
    return sealer.open(cursor, contextOf(merchantId));
  } catch {
    return '';
  }
}
