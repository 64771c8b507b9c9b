import Joi from 'joi';
import { pageFields } from '@rewardhook/contract';
import { listProblems } from '@rewardhook/database';
import type { ProblemRow } from '@rewardhook/database';
import type { ProblemView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import type { Handlers } from '../http/route.ts';

export const problemHandlers = ({ database }: ConsoleDependencies) =>
  ({
    'GET /problems': {
      input: { all: Joi.boolean(), ...pageFields },
      async handle({ merchantId, input: { all = false, ...page } }) {
        const { items, next } = await listProblems(database, { merchantId, open: !all }, page);
        return { items: items.map(toProblemView), next };
      },
    },
  }) satisfies Partial<Handlers>;

/** A problem as its merchant sees it: without what only the operator needs. */
function toProblemView(row: ProblemRow): ProblemView {
  const { id, kind, subject, opened_at, last_seen_at, openings, resolved_at } = row;
  const { number, failures, oldest_at, last_error } = row;
  return {
    id,
    kind,
    subject,
    opened_at,
    last_seen_at,
    openings,
    number,
    failures,
    oldest_at,
    last_error,
    resolved_at,
  };
}
