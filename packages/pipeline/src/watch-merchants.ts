/** How long a merchant counts after their last job, in milliseconds. */
const recentMs = 1_000;

/** What a worker knows about the merchants whose jobs it takes. */
export interface MerchantWatch {
  /** Records a job of a merchant. */
  record(merchantId: string): void;
  /** Whether jobs of more than one merchant were recorded in the last second. */
  isShared(): boolean;
}

/** Watches whether the jobs of a worker are those of one merchant or of several. */
export function watchMerchants(now: () => number = () => performance.now()): MerchantWatch {
  let last: string | undefined;
  /** When a job of another merchant than that of the job before was recorded. */
  let changedAt = -Infinity;
  return {
    record(merchantId) {
      if (last !== undefined && merchantId !== last) changedAt = now();
      last = merchantId;
    },
    isShared: () => now() - changedAt < recentMs,
  };
}
