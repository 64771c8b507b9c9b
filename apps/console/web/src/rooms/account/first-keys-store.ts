import type { SignUpResponse } from '../../data/types.ts';

let kept: SignUpResponse | undefined;

/** Keeps the keys of a new merchant for the page that shows them. In memory only: a reload discards them. */
export const keepFirstKeys = (response: SignUpResponse | undefined): void => void (kept = response);

/** The keys of the merchant that was just created. Undefined after a reload. */
export const firstKeys = (): SignUpResponse | undefined => kept;
