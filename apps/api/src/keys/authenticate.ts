import type { RequestHandler, Response } from 'express';
import { parseApiKey } from '@rewardhook/contract';
import type { ApiKeyKind } from '@rewardhook/contract';
import type { KeyOwner } from '@rewardhook/database';
import { recordOf } from '@rewardhook/process';
import { ApiError, serviceUnavailable } from '../http/api-error.ts';
import type { KeyOwners } from './key-owners.ts';
import type { KeyUses } from './key-uses.ts';

const publicPrefix = 'svc_pk_';
const secretPrefix = 'svc_sk_';

/** Middleware: refuses requests without an active key of this kind. The owner is then available through `ownerOf`. */
export function authenticate(owners: KeyOwners, uses: KeyUses, kind: ApiKeyKind): RequestHandler {
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
    const owner = key && (await findOwner(owners, key));
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

/** The owner of the key that the request was authenticated with. */
export function ownerOf(response: Response): KeyOwner {
  return response.locals['owner'] as KeyOwner;
}

async function findOwner(owners: KeyOwners, key: NonNullable<ReturnType<typeof parseApiKey>>) {
  try {
    return await owners.find(key);
  } catch (error) {
    throw serviceUnavailable('The key cannot be checked right now. Try again.', error);
  }
}
