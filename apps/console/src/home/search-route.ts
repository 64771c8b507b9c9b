import Joi from 'joi';
import { textField } from '@rewardhook/contract';
import { findMatches } from '@rewardhook/database';
import type { SearchView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { route } from '../http/route.ts';

/** GET /search */
export const showMatches = ({ database }: ConsoleDependencies) =>
  route<undefined, { q: string }>(
    'viewer',
    'GET',
    '/search',
    ({ merchantId, query: { q } }): Promise<SearchView> => findMatches(database, merchantId, q),
    { query: Joi.object<{ q: string }>({ q: textField(255).min(2).required() }) },
  );
