import Joi from 'joi';
import { pageFields, textField } from '@rewardhook/contract';
import type { PageQuery } from '@rewardhook/contract';
import { problemKinds } from '@rewardhook/contract/problems';
import { listMerchantProblems } from '@rewardhook/database';
import type { MerchantProblemRow } from '@rewardhook/database';
import type { ProblemKind, ProblemPage, ProblemView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { route } from '../http/route.ts';

interface Query extends PageQuery {
  all?: boolean;
  resolved?: boolean;
  kind?: ProblemKind;
  subject?: string;
}

/** GET /problems */
export const showProblems = ({ database }: ConsoleDependencies) =>
  route<undefined, Query>(
    'viewer',
    'GET',
    '/problems',
    async ({ merchantId, query: { all, resolved, kind, subject, ...page } }): Promise<ProblemPage> => {
      const state = resolved ? 'resolved' : all ? 'all' : 'open';
      const search = { state, kind, subject } as const;
      const { items, next } = await listMerchantProblems(database, merchantId, search, page);
      return { items: items.map(toProblemView), next };
    },
    {
      query: Joi.object<Query>({
        all: Joi.boolean(),
        resolved: Joi.boolean(),
        kind: Joi.string().valid(...problemKinds),
        subject: textField(255),
        ...pageFields,
      }),
    },
  );

/** A problem as its merchant sees it: without what only the operator needs. */
function toProblemView(row: MerchantProblemRow): ProblemView {
  const {
    merchant_id: _merchant,
    acknowledged_until: _acknowledged,
    notified_at: _notified,
    mailed_to: _mailed,
    ...shown
  } = row;
  return shown;
}
