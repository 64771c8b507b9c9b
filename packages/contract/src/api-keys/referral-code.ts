import { randomText } from './random-text.ts';

/** Digits and capitals that are not mistaken for each other when read aloud or copied (no 0 O Q, 1 I L, U V). */
export const referralCodeAlphabet = '23456789ABCDEFGHJKMNPRSTWXYZ';

/** A new referral code: 8 characters, 378 thousand million possibilities; the caller sees to uniqueness. */
export function generateReferralCode(): string {
  return randomText(referralCodeAlphabet, 8);
}
