const prefix = 'erased-';

/** The id that takes the place of a member's own when he is erased. */
export function newErasedMemberId(random: string): string {
  return prefix + random;
}

/** Whether a member was erased. Nobody could grant him anything. */
export function isErasedMember(memberId: string): boolean {
  return memberId.startsWith(prefix);
}
