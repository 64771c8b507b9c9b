import { createHash } from 'node:crypto';
import { waitFor } from '@rewardhook/testing';
import { openKeyOwners } from './key-owners.ts';

const key = { kind: 'secret', mode: 'live', sha256: createHash('sha256').update('a key').digest() } as const;
const owner = {
  keyId: 'key_1',
  merchantId: 'mer_1',
  kind: 'secret',
  timezone: 'Asia/Seoul',
  pauseContact: null,
  requestsPerSecond: null,
  waitingKib: null,
} as const;

describe('The cache of key owners', () => {
  it('A key in use is read again in the background, and requests get the cached owner meanwhile', async () => {
    const reads: ((found: typeof owner | undefined) => void)[] = [];
    const read = () => new Promise<typeof owner | undefined>((resolve) => reads.push(resolve));
    const owners = openKeyOwners({ read, freshMs: 400 });
    const first = owners.find(key);
    reads[0]?.(owner);
    expect(await first).toBe(owner);

    await waitFor(async () => (await owners.find(key)) === owner && reads.length === 2, { everyMs: 5 });
    expect(await owners.find(key)).toBe(owner);
    // Many requests share the read.
    expect(reads.length).toBe(2);

    // The key was revoked.
    reads[1]?.(undefined);
    await waitFor(async () => (await owners.find(key)) === undefined, { everyMs: 5 });
  });
});
