import type { RequestHandler, Response } from 'express';
import { parseApiKey } from '@rewardhook/contract';
import type { ApiKeyKind, ParsedApiKey } from '@rewardhook/contract';
import type { KeyOwner } from '@rewardhook/database';
import { recordOf } from '@rewardhook/process';
import { ApiError, pausedByOperator, serviceUnavailable } from '../http/api-error.ts';
import type { AddressLimits } from '../limits/address-limits.ts';
import type { KeyCallbacks, KeyOwners } from './key-owners.ts';
import type { UsageRecord } from '../record-usage.ts';

const publicPrefix = 'svc_pk_';
const secretPrefix = 'svc_sk_';

/** What `authenticate` uses. */
export interface AuthenticationOptions {
  owners: KeyOwners;
  uses: UsageRecord;
  addressLimits: Pick<AddressLimits, 'checkUnknownKeys' | 'countUnknownKey'>;
}

/** Middleware: refuses requests without an active key of this kind. The owner is then available through `ownerOf`. */
export function authenticate(
  { owners, uses, addressLimits }: AuthenticationOptions,
  kind: ApiKeyKind,
): RequestHandler {
  return async (request, response, next) => {
    const sent = request.get('x-service-key');
    // Checked by the prefix alone, so that a mistyped public key gets this error too.
    if (kind === 'secret' && sent?.startsWith(publicPrefix))
      throw new ApiError('secret_key_required', 'This is a public key. Call with a secret key (svc_sk_…).');
    if (kind === 'public' && sent?.startsWith(secretPrefix))
      throw new ApiError(
        'public_key_required',
        'This is a secret key, never give it to a browser. Call with a public key (svc_pk_…).',
      );
    const key = parseApiKey(sent);
    const owner =
      key &&
      (await findOwner(owners, key, {
        onUncached: () => addressLimits.checkUnknownKeys(request.ip),
        onUnknown: () => addressLimits.countUnknownKey(request.ip),
      }));
    if (!owner)
      throw new ApiError(
        'invalid_api_key',
        sent ? 'The key in X-Service-Key is unknown or revoked.' : 'The header X-Service-Key is missing.',
      );
    response.locals['owner'] = owner;
    recordOf(response).merchantId = owner.merchantId;
    uses.record(owner.keyId);
    next();
  };
}

/** Middleware: refuses a request of a merchant that the operator has paused, before its body is read. */
export const refusePaused: RequestHandler = (_request, response, next) => {
  const { pauseContact } = ownerOf(response);
  if (pauseContact !== null) throw pausedByOperator(pauseContact);
  next();
};

/** The owner of the key that the request was authenticated with. */
export function ownerOf(response: Response): KeyOwner {
  return response.locals['owner'] as KeyOwner;
}

/** The same, of a request that may not have been authenticated. */
export function findOwnerOf(response: Response): KeyOwner | undefined {
  return response.locals['owner'] as KeyOwner | undefined;
}

async function findOwner(owners: KeyOwners, key: ParsedApiKey, callbacks: KeyCallbacks) {
  try {
    return await owners.find(key, callbacks);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw serviceUnavailable('The key cannot be checked right now. Try again.', error);
  }
}
