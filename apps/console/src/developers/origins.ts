import { textField } from '@rewardhook/contract';
import { insertVerifiedOrigin, listVerifiedOrigins } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { checkOrigin, originProofPath, verifyOrigin } from '@rewardhook/webhook';
import type { OriginsView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { invalidRequest, rateLimited } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';

/** The most origins that are fetched for a merchant within an hour. */
const maxChecksPerHour = 30;

export function originHandlers({
  database,
  webhookClient,
  openRateLimit,
  allowLoopbackHttp,
  log,
}: ConsoleDependencies) {
  const checks = openRateLimit({ name: 'origin_checks', points: maxChecksPerHour, seconds: 3_600 });
  return {
    /** Fetches the proof that the merchant controls the origin, and stores the origin as verified. */
    'POST /credentials/origins': {
      input: { origin: textField(2_048).required() },
      async handle({ merchantId, input }) {
        const checked = checkOrigin(input.origin, { allowLoopbackHttp });
        if (!checked.ok) throw invalidRequest({ origin: checked.error });
        const origin = checked.value;
        const { allowed, resetMs } = await checks.count(merchantId);
        if (!allowed) throw rateLimited(resetMs, 'origin_checks');
        const proof = await verifyOrigin(webhookClient, origin, merchantId);
        if (!proof.ok) throw invalidRequest({ origin: proof.error });
        await insertVerifiedOrigin(database, merchantId, { origin, proof: 'file' });
        log.info('origin verified', { merchantId, origin });
        return readOriginsView(database, merchantId);
      },
    },
  } satisfies Partial<Handlers>;
}

/** Reads the merchant's verified origins, and the proof that another one needs. */
export async function readOriginsView(database: Database, merchantId: string): Promise<OriginsView> {
  const origins = await listVerifiedOrigins(database, merchantId);
  return {
    verified: origins.map(({ origin, proof, verifiedAt }) => ({
      origin,
      proof,
      verified_at: verifiedAt.toISOString(),
    })),
    proof_path: originProofPath,
    proof_line: merchantId,
  };
}
