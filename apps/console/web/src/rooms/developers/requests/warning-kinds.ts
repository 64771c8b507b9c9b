/** The kinds of warnings that answers of the API have. */
export const warningKinds = [
  'unknown_field',
  'misspelled_field',
  'more_unknown_fields',
  'unknown_currency',
  'read_as_won',
  'no_reward_currency',
  'unreadable_time',
  'time_without_offset',
  'never_set',
  'long_before',
  'far_ahead',
  'before_other_date',
  'older_in_request',
  'placeholder_member',
  'invisible_characters',
  'linked_before',
] as const;

export type WarningKind = (typeof warningKinds)[number];

/** Whether the page has a name for a kind of warnings. */
export const isWarningKind = (kind: string): kind is WarningKind =>
  (warningKinds as readonly string[]).includes(kind);
