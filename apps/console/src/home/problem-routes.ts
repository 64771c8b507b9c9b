import Joi from 'joi';
import { pageFields } from '@rewardhook/contract';
import type { PageQuery } from '@rewardhook/contract';
import { listProblems } from '@rewardhook/database';
import type { ProblemRow } from '@rewardhook/database';
import type { ProblemPage, ProblemView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { route } from '../http/route.ts';

interface Query extends PageQuery {
  all?: boolean;
}

/** GET /problems */
export const showProblems = ({ database }: ConsoleDependencies) =>
  route<undefined, Query>(
    'viewer',
    'GET',
    '/problems',
    async ({ merchantId, query: { all = false, ...page } }): Promise<ProblemPage> => {
      const { items, next } = await listProblems(database, { merchantId, open: !all }, page);
      return { items: items.map(toProblemView), next };
    },
    { query: Joi.object<Query>({ all: Joi.boolean(), ...pageFields }) },
  );

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
