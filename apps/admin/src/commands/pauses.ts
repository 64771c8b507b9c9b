import { modeOf } from '@rewardhook/contract';
import { pausable, pauseMerchant, resumeMerchant } from '@rewardhook/database';
import type { MerchantPause, Pausable } from '@rewardhook/database';
import { command, UsageError } from '../command.ts';

const only = {
  only: `${pausable.join(' or ')}: its requests, or what is sent to it; default both`,
};

export const merchantPause = command({
  description:
    'Pause a merchant, on both sides: its orders, boots and links are answered 503 within seconds, and nothing is ' +
    'sent to its webhooks. What waits is kept. Reads, the feed and share links work.',
  audit: 'merchant.paused',
  required: {
    merchant: 'merchant id',
    reason: 'why; in the audit, and for other operators',
    contact: 'where the merchant can ask, such as an email address: shown in the answers and in the console',
  },
  optional: only,
  async run({ merchant, reason, contact, only: part }, { database }) {
    const parts = readParts(part);
    requireLive(merchant);
    if (!/^[^\p{Cc}]{1,200}$/u.test(contact))
      throw new UsageError('--contact must have 1 to 200 characters, in one line.');
    if (reason.length > 1_000) throw new UsageError('--reason must have at most 1,000 characters.');
    const pause = await pauseMerchant(database, merchant, { parts, reason, contact });
    return { document: toDocument(merchant, pause) };
  },
});

export const merchantResume = command({
  description:
    'Resume a paused merchant. Its requests are accepted again within seconds, and deliveries that waited are sent.',
  audit: 'merchant.resumed',
  required: { merchant: 'merchant id' },
  optional: only,
  async run({ merchant, only: part }, { database }) {
    const parts = readParts(part);
    requireLive(merchant);
    return { document: toDocument(merchant, await resumeMerchant(database, merchant, parts)) };
  },
});

/** @throws UsageError */
function readParts(given: string | undefined): readonly Pausable[] {
  if (given === undefined) return pausable;
  const part = pausable.find((one) => one === given);
  if (part === undefined) throw new UsageError(`--only must be ingest or delivery, not ${given}.`);
  return [part];
}

/** @throws UsageError */
function requireLive(merchant: string): void {
  if (modeOf(merchant) === 'test')
    throw new UsageError('A pause covers both sides of a merchant: name the live one.');
}

/** @throws UsageError when there is no such merchant */
function toDocument(merchant: string, pause: MerchantPause | undefined) {
  if (!pause) throw new UsageError(`There is no merchant ${merchant}.`);
  return { merchantId: merchant, ...pause };
}
