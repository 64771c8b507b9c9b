import { randomText } from './random-text.ts';

/** Digits and capital letters without characters that are easily confused (0 O Q, 1 I L, U V). */
export const referralCodeAlphabet = '23456789ABCDEFGHJKMNPRSTWXYZ';

/** A new referral code of 8 characters: 378 billion possibilities. The caller ensures that it is unique. */
export function generateReferralCode(): string {
  return randomText(referralCodeAlphabet, 8);
}

/**
 * The code that a person meant who typed or pasted this text: in capitals, without spaces and hyphens, and with the
 * full-width characters of East Asian keyboards replaced.
 */
export function readReferralCode(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[\s\p{Pd}\p{Cf}]/gu, '')
    .toUpperCase();
}
