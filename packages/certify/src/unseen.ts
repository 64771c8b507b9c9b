/** What no run can show, because a receiver that does it answers and grants as a correct one does. */
export const unseen = {
  parses_first: 'The receiver parses the body before it verifies the signature.',
  works_after_answer: 'It answers before the grant is stored: a crash in between loses the reward.',
  key_before_grant:
    'It stores the key of an event before the grant, not in the same transaction: after a crash in between, the retry is taken for a duplicate.',
} as const;

/** One of {@link unseen}. */
export type Unseen = keyof typeof unseen;
