import Joi from 'joi';
import { textField } from '@rewardhook/contract';
import { rolesWith } from '@rewardhook/contract/rights';
import {
  insertApiKey,
  isOriginVerified,
  maxOverlapHours,
  newApiKey,
  replaceIdentitySecret,
  revokeApiKey,
  updateLinkingSettings,
} from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { checkAllowedOrigin, checkLandingUrl } from '@rewardhook/webhook';
import type { LinkingCheck } from '@rewardhook/webhook';
import type { LinkingView, NewApiKeyResponse, ReplacedIdentitySecret } from '../api-types.ts';
import { requireEnteredPassword } from '../account/check-password.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { invalidField, invalidRequest, notFound, refuse } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';
import { readLinkingView } from './show-credentials.ts';

const linkingFields = {
  allowed_origins: Joi.array().items(textField(2_048)).max(50).required(),
  landing_url: textField(2_048).allow(null).required(),
  require_user_hash: Joi.boolean().required(),
  attribution_days: Joi.number().integer().min(1).max(365).required(),
};

export const credentialChangeHandlers = ({ database, sealer, allowLoopbackHttp, log }: ConsoleDependencies) =>
  ({
    'POST /credentials/api-keys': {
      input: {
        kind: Joi.string().valid('secret', 'public').required(),
        name: textField(255).trim().required(),
      },
      async handle({ session, merchantId, input: { kind, name } }): Promise<NewApiKeyResponse> {
        if (kind === 'secret') requireEnteredPassword(session);
        const { key, row } = newApiKey(merchantId, kind, name, session.userId);
        if (!(await insertApiKey(database, row)))
          throw refuse('role_required', { roles: rolesWith('integrate') });
        log.info('API key created', { merchantId, keyId: row.id, kind });
        return { id: row.id, value: key };
      },
    },

    /** The key stops working within seconds. */
    async 'DELETE /credentials/api-keys/:id'({ merchantId, params: { id: keyId } }) {
      if (!(await revokeApiKey(database, merchantId, keyId))) throw notFound();
      log.info('API key revoked', { merchantId, keyId });
    },

    /** Boot accepts the former secret too until the overlap ends. */
    'POST /credentials/identity-secret/replace': {
      input: { overlap_hours: Joi.number().integer().min(0).max(maxOverlapHours).required() },
      async handle({ merchantId, session, input }): Promise<ReplacedIdentitySecret> {
        requireEnteredPassword(session);
        const seconds = input.overlap_hours * 3_600;
        const replaced = await replaceIdentitySecret(database, sealer, merchantId, seconds);
        if (!replaced) throw notFound();
        log.info('identity secret replaced', { merchantId, userId: session.userId });
        return {
          secret: replaced.identitySecret,
          former_expire_at: replaced.formerExpireAt.toISOString(),
        };
      },
    },

    'PUT /credentials/linking': {
      input: { ...linkingFields, base: Joi.object(linkingFields) },
      async handle({ merchantId, input: { base, ...requested } }) {
        const { allowed_origins: origins, landing_url: landing } = requested;
        const options = { allowLoopbackHttp };
        const checked = {
          ...requested,
          allowed_origins: [
            ...new Set(
              origins.map((origin, index) =>
                valueOf(checkAllowedOrigin(origin, options), `allowed_origins[${index}]`),
              ),
            ),
          ],
          landing_url: landing === null ? null : valueOf(checkLandingUrl(landing, options), 'landing_url'),
        };
        await requireVerifiedOrigin(database, merchantId, checked.landing_url);
        await updateLinkingSettings(database, merchantId, toRow(checked), base && toRow(base));
        return readLinkingView(database, merchantId);
      },
    },
  }) satisfies Partial<Handlers>;

/** Share links may only lead to origins that the merchant has verified, so that none misuses the service's name. */
async function requireVerifiedOrigin(
  database: Database,
  merchantId: string,
  landingUrl: string | null,
): Promise<void> {
  if (landingUrl === null) return;
  const { origin } = new URL(landingUrl);
  if (!(await isOriginVerified(database, merchantId, origin)))
    throw invalidField('landing_url', 'origin_unverified', { origin });
}

function toRow(linking: LinkingView) {
  return {
    allowedOrigins: linking.allowed_origins,
    landingUrl: linking.landing_url,
    requireUserHash: linking.require_user_hash,
    attributionDays: linking.attribution_days,
  };
}

function valueOf(check: LinkingCheck, field: string): string {
  if (!check.ok) throw invalidRequest({ [field]: check.error });
  return check.value;
}
