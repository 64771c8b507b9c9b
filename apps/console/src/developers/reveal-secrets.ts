import {
  findIdentitySecret,
  identitySecretContext,
  listSigningKeys,
  signingKeyContext,
} from '@rewardhook/database';
import type { RevealedSecret } from '../api-types.ts';
import { requireEnteredPassword } from '../account/check-password.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';

// POST although nothing changes: this keeps the secrets out of caches and histories, and the request passes the
// cross-site check. The user who revealed a secret is logged.

export const revealHandlers = ({ database, sealer, log }: ConsoleDependencies) =>
  ({
    async 'POST /credentials/signing-keys/:id/reveal'({
      merchantId,
      params,
      session,
    }): Promise<RevealedSecret> {
      requireEnteredPassword(session);
      const keys = await listSigningKeys(database, merchantId);
      const key = keys.find(({ id }) => id === params.id);
      if (!key) throw notFound();
      log.info('signing key revealed', { merchantId, keyId: key.id, userId: session.userId });
      return { secret: sealer.open(key.secret, signingKeyContext(merchantId, key.id)) };
    },

    async 'POST /credentials/identity-secret/reveal'({ merchantId, session }): Promise<RevealedSecret> {
      requireEnteredPassword(session);
      const sealed = await findIdentitySecret(database, merchantId);
      if (sealed === undefined) throw notFound();
      log.info('identity secret revealed', { merchantId, userId: session.userId });
      return { secret: sealer.open(sealed, identitySecretContext(merchantId)) };
    },
  }) satisfies Partial<Handlers>;
