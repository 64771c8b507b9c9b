import type { Admin } from './run-admin.ts';

/** A merchant of a local stack, with the secrets that are shown once. */
export interface StackMerchant {
  merchantId: string;
  secretKey: string;
  publicKey: string;
  signingSecret: string;
  identitySecret: string;
}

/** Creates a merchant with the admin command line. */
export function createMerchant(admin: Admin, name: string): Promise<StackMerchant> {
  return admin('merchant', 'create', '--name', name);
}

/** Registers a webhook URL for the events of rewards. Returns the webhook's id. */
export async function addWebhook(admin: Admin, merchantId: string, url: string): Promise<string> {
  const events = 'reward.issue,reward.revoke';
  const { webhookId } = await admin<{ webhookId: string }>(
    ...['webhook', 'add', '--merchant', merchantId, '--url', url, '--events', events],
  );
  return webhookId;
}
