/** Characters that are not seen: zero-width spaces and joiners, soft hyphens, variation selectors, controls. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;

/**
 * A member id as a person reads it: compatibility forms (NFKC) and letter case folded, invisible characters and outer
 * spaces removed. Ids stay different members by contract; two that fold to the same text are look-alikes.
 */
export function foldMemberId(memberId: string): string {
  // Upper case first: some letters fold together only that way, such as ß and ss.
  const folded = memberId.replace(invisible, '').normalize('NFKC').toUpperCase().toLowerCase();
  return folded.normalize('NFKC').replace(invisible, '').trim();
}
