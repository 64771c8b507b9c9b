import {
  findFormerIdentitySecrets,
  findLinkingSettings,
  listApiKeys,
  listSigningKeys,
} from '@rewardhook/database';
import type { Database, KeyCreator } from '@rewardhook/database';
import { findPrimaryKey } from '@rewardhook/webhook';
import type { ApiKeyView, CredentialsView, LinkingView, SigningKeyView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';
import { readOriginsView } from './origins.ts';

export const credentialHandlers = ({ database }: ConsoleDependencies) =>
  ({
    async 'GET /credentials'({ merchantId }): Promise<CredentialsView> {
      const [keys, signingKeys, formerSecrets, linking, origins] = await Promise.all([
        listApiKeys(database, merchantId),
        listSigningKeys(database, merchantId),
        findFormerIdentitySecrets(database, merchantId),
        readLinkingView(database, merchantId),
        readOriginsView(database, merchantId),
      ]);
      return {
        api_keys: keys.map(toApiKeyView),
        signing_keys: toSigningKeyViews(signingKeys),
        former_identity_secrets: formerSecrets.map(({ id, replacedAt, expiresAt }) => ({
          id,
          replaced_at: replacedAt.toISOString(),
          expires_at: expiresAt.toISOString(),
        })),
        linking,
        origins,
      };
    },
  }) satisfies Partial<Handlers>;

/** Reads the settings for linking members. */
export async function readLinkingView(database: Database, merchantId: string): Promise<LinkingView> {
  const linking = await findLinkingSettings(database, merchantId);
  if (!linking) throw notFound();
  return {
    allowed_origins: linking.allowedOrigins,
    landing_url: linking.landingUrl,
    require_user_hash: linking.requireUserHash,
    attribution_days: linking.attributionDays,
  };
}

function toApiKeyView(key: Awaited<ReturnType<typeof listApiKeys>>[number]): ApiKeyView {
  return {
    id: key.id,
    kind: key.kind as ApiKeyView['kind'],
    name: key.name,
    prefix: key.prefix,
    last_four: key.lastFour,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    created_by: toKeyCreator(key.createdBy),
    ...(key.kind === 'public' && key.publicValue !== null ? { value: key.publicValue } : {}),
  };
}

function toKeyCreator(creator: KeyCreator): ApiKeyView['created_by'] {
  if (creator === null || creator === 'operator') return creator;
  return { user_id: creator.userId, email: creator.email };
}

function toSigningKeyViews(keys: Awaited<ReturnType<typeof listSigningKeys>>): SigningKeyView[] {
  const active = findPrimaryKey(keys);
  return keys.map((key) => ({
    id: key.id,
    created_at: key.createdAt.toISOString(),
    promoted_at: key.promotedAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    active: key.id === active?.id,
  }));
}
