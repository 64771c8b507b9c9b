import { createHmac, randomUUID } from 'node:crypto';
import type { RunAdmin } from './run-admin.ts';

/** A merchant that an operator has created. */
export interface Merchant {
  id: string;
  secretKey: string;
  publicKey: string;
  signingSecret: string;
  /** The key of the `user_hash` of its members. */
  identitySecret: string;
}

/** Creates a merchant. */
export async function openMerchant(admin: RunAdmin, timezone = 'Asia/Seoul'): Promise<Merchant> {
  const made = await admin('merchant create', { name: `Shop ${randomUUID()}`, timezone });
  return {
    id: String(made['merchantId']),
    secretKey: String(made['secretKey']),
    publicKey: String(made['publicKey']),
    signingSecret: String(made['signingSecret']),
    identitySecret: String(made['identitySecret']),
  };
}

/** The `user_hash` that the merchant's server computes for a user id. */
export function userHashOf(merchant: Pick<Merchant, 'identitySecret'>, userId: string): string {
  return createHmac('sha256', merchant.identitySecret).update(userId, 'utf8').digest('hex');
}
