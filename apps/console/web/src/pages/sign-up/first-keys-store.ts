import type { SignUpResponse } from '../../api/types.ts';

let kept: SignUpResponse | undefined;

/** Keeps the keys of a new merchant for the page that shows them: in memory alone, so that a reload forgets them. */
export const keepFirstKeys = (answer: SignUpResponse | undefined): void => void (kept = answer);

/** The keys of the merchant that was just created; undefined after a reload. */
export const firstKeys = (): SignUpResponse | undefined => kept;
