/** Invisible characters: zero-width spaces and joiners, soft hyphens, variation selectors, controls. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;

/**
 * A member id as a person reads it: compatibility forms (NFKC) and letter case are folded, invisible characters and
 * outer spaces removed. Two ids that fold to the same text look alike, but by contract they are different members.
 */
export function foldMemberId(memberId: string): string {
  // Upper case first: some characters fold to the same text only that way, such as ß and ss.
  const folded = memberId.replace(invisible, '').normalize('NFKC').toUpperCase().toLowerCase();
  return folded.normalize('NFKC').replace(invisible, '').trim();
}
