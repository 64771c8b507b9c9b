import Joi from 'joi';
import { textField } from '@rewardhook/contract';
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
import type {
  ChangeLinkingRequest,
  LinkingView,
  NewApiKeyResponse,
  NewApiKeyRequest,
  ReplacedIdentitySecret,
  ReplaceIdentitySecretRequest,
} from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { invalidField, invalidRequest, notFound, refuse } from '../http/console-error.ts';
import { route } from '../http/route.ts';
import { readLinkingView } from './show-credentials.ts';

/** POST /credentials/api-keys */
export const createApiKey = ({ database, log }: ConsoleDependencies) =>
  route<NewApiKeyRequest>(
    'developer',
    'POST',
    '/credentials/api-keys',
    async ({ session, merchantId, body }): Promise<NewApiKeyResponse> => {
      const { key, row } = newApiKey(merchantId, body.kind, body.name, session.userId);
      if (!(await insertApiKey(database, row))) throw refuse('role_required', { role: 'developer' });
      log.info('API key created', { merchantId, keyId: row.id, kind: body.kind });
      return { id: row.id, value: key };
    },
    {
      body: Joi.object<NewApiKeyRequest>({
        kind: Joi.string().valid('secret', 'public').required(),
        name: textField(255).trim().required(),
      }),
      status: 201,
      audit: 'api_key.created',
    },
  );

/** DELETE /credentials/api-keys/:id: the key stops working within seconds. */
export const revokeKey = ({ database, log }: ConsoleDependencies) =>
  route(
    'developer',
    'DELETE',
    '/credentials/api-keys/:id',
    async ({ merchantId, params }) => {
      const keyId = String(params['id']);
      if (!(await revokeApiKey(database, merchantId, keyId))) throw notFound();
      log.info('API key revoked', { merchantId, keyId });
      return undefined;
    },
    { audit: 'api_key.revoked' },
  );

/** POST /credentials/identity-secret/replace: boot accepts the former secret too until the overlap ends. */
export const replaceSecret = ({ database, sealer, log }: ConsoleDependencies) =>
  route<ReplaceIdentitySecretRequest>(
    'owner',
    'POST',
    '/credentials/identity-secret/replace',
    async ({ merchantId, session, body }): Promise<ReplacedIdentitySecret> => {
      const seconds = body.overlap_hours * 3_600;
      const replaced = await replaceIdentitySecret(database, sealer, merchantId, seconds);
      if (!replaced) throw notFound();
      log.info('identity secret replaced', { merchantId, userId: session.userId });
      return {
        secret: replaced.identitySecret,
        former_expire_at: replaced.formerExpireAt.toISOString(),
      };
    },
    {
      body: Joi.object<ReplaceIdentitySecretRequest>({
        overlap_hours: Joi.number().integer().min(0).max(maxOverlapHours).required(),
      }),
      audit: 'identity_secret.replaced',
    },
  );

const linkingFields = {
  allowed_origins: Joi.array().items(textField(2_048)).max(50).required(),
  landing_url: textField(2_048).allow(null).required(),
  require_user_hash: Joi.boolean().required(),
  attribution_days: Joi.number().integer().min(1).max(365).required(),
};

/** PUT /credentials/linking */
export const changeLinking = ({ database, allowLoopbackHttp }: ConsoleDependencies) =>
  route<ChangeLinkingRequest>(
    'developer',
    'PUT',
    '/credentials/linking',
    async ({ merchantId, body }): Promise<LinkingView> => {
      const { base, ...requested } = body;
      const { allowed_origins: origins, landing_url: landing } = requested;
      const options = { allowLoopbackHttp };
      const checked = {
        ...requested,
        allowed_origins: [
          ...new Set(
            origins.map((origin, index) =>
              valueOf(checkAllowedOrigin(origin, options), `allowed_origins.${index}`),
            ),
          ),
        ],
        landing_url: landing === null ? null : valueOf(checkLandingUrl(landing, options), 'landing_url'),
      };
      await requireVerifiedOrigin(database, merchantId, checked.landing_url);
      await updateLinkingSettings(database, merchantId, toRow(checked), base && toRow(base));
      return readLinkingView(database, merchantId);
    },
    {
      body: Joi.object<ChangeLinkingRequest>({ ...linkingFields, base: Joi.object(linkingFields) }),
      audit: 'merchant.linking_changed',
    },
  );

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
