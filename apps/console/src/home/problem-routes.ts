import Joi from 'joi';
import { pageFields, textField } from '@rewardhook/contract';
import { problemKinds } from '@rewardhook/contract/problems';
import { listMerchantProblems } from '@rewardhook/database';
import type { MerchantProblemRow } from '@rewardhook/database';
import type { ProblemView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import type { Handlers } from '../http/route.ts';

export const problemHandlers = ({ database }: ConsoleDependencies) =>
  ({
    'GET /problems': {
      input: {
        all: Joi.boolean(),
        resolved: Joi.boolean(),
        kind: Joi.string().valid(...problemKinds),
        subject: textField(255),
        ...pageFields,
      },
      async handle({ merchantId, input: { all, resolved, kind, subject, ...page } }) {
        const state = resolved ? 'resolved' : all ? 'all' : 'open';
        const search = { state, kind, subject } as const;
        const { items, next } = await listMerchantProblems(database, merchantId, search, page);
        return { items: items.map(toProblemView), next };
      },
    },
  }) satisfies Partial<Handlers>;

/** A problem as its merchant sees it: without what only the operator needs. */
function toProblemView(row: MerchantProblemRow): ProblemView {
  const { id, kind, subject, webhook_name, webhook_host, opened_at, last_seen_at, openings } = row;
  const { number, failures, oldest_at, last_error, resolved_at } = row;
  return {
    id,
    kind,
    subject,
    webhook_name,
    webhook_host,
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
