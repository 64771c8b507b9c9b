import { randomUUID } from 'node:crypto';
import type { RunAdmin } from './run-admin.ts';

/** A merchant as signed up by the operator. */
export interface Merchant {
  id: string;
  secretKey: string;
  publicKey: string;
  signingSecret: string;
}

/** Signs a merchant up. */
export async function openMerchant(admin: RunAdmin, timezone = 'Asia/Seoul'): Promise<Merchant> {
  const made = await admin('merchant create', { name: `Shop ${randomUUID()}`, timezone });
  return {
    id: String(made['merchantId']),
    secretKey: String(made['secretKey']),
    publicKey: String(made['publicKey']),
    signingSecret: String(made['signingSecret']),
  };
}
