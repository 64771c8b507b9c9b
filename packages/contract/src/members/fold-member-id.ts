import { withoutInvisible } from '../fields/invisible.ts';

/**
 * A member id as a person reads it: compatibility forms (NFKC) and letter case are folded, invisible characters, outer
 * spaces and dots at the end removed. Of an e-mail address the part from `+` to `@` is removed, because mail to both addresses
 * reaches the same person. `l`, `I` and `1` are one character. Two ids that fold to the same text look alike, but by contract
 * they are different members.
 */
export function foldMemberId(memberId: string): string {
  // Upper case first: some characters fold to the same text only that way, such as ß and ss.
  const folded = withoutInvisible(memberId).normalize('NFKC').toUpperCase().toLowerCase();
  const plain = withoutInvisible(folded.normalize('NFKC')).trim();
  return withoutDotsAtTheEnd(withoutPlusPart(plain)).replaceAll(/[i1]/g, 'l');
}

/** `kim+shop@example.com` as `kim@example.com`. */
function withoutPlusPart(id: string): string {
  const at = id.lastIndexOf('@');
  const plus = id.indexOf('+');
  return plus > 0 && plus < at ? id.slice(0, plus) + id.slice(at) : id;
}

function withoutDotsAtTheEnd(id: string): string {
  let end = id.length;
  while (end > 0 && (id[end - 1] === '.' || id[end - 1] === ' ')) end -= 1;
  return id.slice(0, end);
}
