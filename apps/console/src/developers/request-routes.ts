import Joi from 'joi';
import { dateTimeField, pageFields, textField } from '@rewardhook/contract';
import {
  countRefusedRequests,
  findRequest,
  listRequestFilters,
  listRequestsPage,
} from '@rewardhook/database';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';

export const requestHandlers = ({ database }: ConsoleDependencies) =>
  ({
    'GET /requests': {
      input: {
        request_id: textField(100),
        result: Joi.string().pattern(/^(?:success|refused|[45]\d\d)$/),
        route: textField(255),
        code: textField(255),
        key_id: textField(255),
        warning: textField(255),
        from: dateTimeField(),
        until: dateTimeField(),
        ...pageFields,
      },
      handle({ merchantId, input: { after, limit, result, request_id: requestId, key_id: keyId, ...rest } }) {
        const isKind = result === 'success' || result === 'refused';
        const search = {
          ...{ ...rest, requestId, keyId },
          refused: isKind ? result === 'refused' : undefined,
          status: isKind || result === undefined ? undefined : Number(result),
        };
        return listRequestsPage(database, merchantId, search, { after, limit });
      },
    },

    'GET /requests/errors': async ({ merchantId }) => {
      const [counts, filters] = await Promise.all([
        countRefusedRequests(database, merchantId),
        listRequestFilters(database, merchantId),
      ]);
      return { ...counts, ...filters };
    },

    async 'GET /requests/:id'({ merchantId, params: { id } }) {
      const found = await findRequest(database, merchantId, id);
      if (!found) throw notFound();
      return found;
    },
  }) satisfies Partial<Handlers>;
