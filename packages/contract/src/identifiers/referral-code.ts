import { randomText } from './random-text.ts';

/** Digits and capital letters without characters that are easily confused (0 O Q, 1 I L, U V). */
export const referralCodeAlphabet = '23456789ABCDEFGHJKMNPRSTWXYZ';

const codeRun = /[23456789ABCDEFGHJKMNPRSTWXYZ]{8}/;
const onlyCode = /^[23456789ABCDEFGHJKMNPRSTWXYZ]{8}$/;
const codeOfLink = /^[23456789ABCDEFGHJKMNPRSTWXYZ]{8}(?![0-9A-Z])/;

/** A new referral code of 8 characters: 378 billion possibilities. The caller ensures that it is unique. */
export function generateReferralCode(): string {
  return randomText(referralCodeAlphabet, 8);
}

/**
 * The code that a person meant who typed or pasted this text, perhaps with words around it, or a complete share link: the first
 * eight characters of codes that follow each other, once spaces, hyphens and invisible characters are removed, in either letter
 * case and full width too. `''` when there is none.
 */
export function readReferralCode(text: string): string {
  const afterPath = withoutSeparators(text).split('/R/').at(-1) ?? '';
  return codeRun.exec(afterPath)?.[0] ?? '';
}

/**
 * The code if the text is nothing but a code or a share link, in the forms that {@link readReferralCode} reads; undefined for all else, also
 * for a text that only has a code in it.
 */
export function readReferralCodeAlone(text: string): string | undefined {
  const [path = '', ...ofLinks] = withoutSeparators(text).split('/R/');
  const afterPath = ofLinks.at(-1);
  return (afterPath === undefined ? onlyCode.exec(path) : codeOfLink.exec(afterPath))?.[0];
}

const withoutSeparators = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[\s\p{Pd}\p{Cf}]/gu, '')
    .toUpperCase();
