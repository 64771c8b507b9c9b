import type { FieldError } from '@rewardhook/contract';

/** Terms are invalid. `problems` has the path of each invalid field, such as `rules[0].referee.amount.rate`; `terms` is all of them. */
export class TermsError extends Error {
  readonly problems: Record<string, FieldError>;

  constructor(problems: Record<string, FieldError>) {
    super('The terms are not valid.');
    this.problems = problems;
  }
}
