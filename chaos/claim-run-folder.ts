import { claimFolder } from '@rewardhook/local-stack';
import type { FolderClaim } from '@rewardhook/local-stack';

/** Runs that can go on side by side in one checkout. */
const most = 8;

/**
 * Claims a folder for a run, or the first one with a number behind it that no other run uses. What an earlier run left there is replaced.
 * @throws when all are used
 */
export async function claimRunFolder(base: string): Promise<{ folder: string; claim: FolderClaim }> {
  for (let number = 1; ; number += 1) {
    const folder = number === 1 ? base : `${base}-${number}`;
    try {
      return { folder, claim: await claimFolder(folder) };
    } catch (error) {
      if (number === most) throw error;
    }
  }
}
