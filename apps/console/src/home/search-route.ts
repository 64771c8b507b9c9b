import { textField } from '@rewardhook/contract';
import { findMatches } from '@rewardhook/database';
import type { ConsoleDependencies } from '../dependencies.ts';
import type { Handlers } from '../http/route.ts';

export const searchHandlers = ({ database }: ConsoleDependencies) =>
  ({
    'GET /search': {
      input: { q: textField(255).min(2).required() },
      handle: ({ merchantId, input: { q } }) => findMatches(database, merchantId, q),
    },
  }) satisfies Partial<Handlers>;
