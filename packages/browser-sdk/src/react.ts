/** The browser SDK for React. Call `init` once, where your app starts. */
import { useEffect, useState } from 'react';
import { boot } from './index.ts';
import type { Booted, Member, RewardhookError } from './index.ts';

/** The member's referral data. `status` tells which fields are there. */
export type RewardhookState =
  | { status: 'signed_out' | 'loading'; data?: undefined; error?: undefined }
  | { status: 'ready'; data: Booted; error?: undefined }
  | { status: 'error'; data?: undefined; error: RewardhookError };

/** Calls in progress, because React calls the effects of a component twice while an app is developed. */
const booting = new Map<string, Promise<Booted>>();

function bootOnce(member: Member): Promise<Booted> {
  const key = JSON.stringify(member);
  const known = booting.get(key);
  if (known) return known;
  const started = boot(member);
  booting.set(key, started);
  const end = () => booting.delete(key);
  started.then(end, end);
  return started;
}

/**
 * Boots the member who is signed in, and returns their code and share link. Boots again when the user id, the hash or a typed
 * code changes. `null` or `undefined`: nobody is signed in.
 */
export function useRewardhook(member: Member | null | undefined): RewardhookState {
  const { userId, userHash, referralCode } = member ?? {};
  const key = JSON.stringify([userId, userHash, referralCode]);
  const [booted, setBooted] = useState<{ key: string; state: RewardhookState }>();
  useEffect(() => {
    if (!userId) return undefined;
    let isCurrent = true;
    setBooted(undefined);
    const finish = (state: RewardhookState) => isCurrent && setBooted({ key, state });
    bootOnce({ userId, userHash, referralCode }).then(
      (data) => finish({ status: 'ready', data }),
      (error: RewardhookError) => finish({ status: 'error', error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [key, userId, userHash, referralCode]);
  if (!userId) return { status: 'signed_out' };
  // Effects run after the page is painted: the data of another member must not be returned until then.
  return booted?.key === key ? booted.state : { status: 'loading' };
}
