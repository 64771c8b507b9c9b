import { addWebhook, startReceiver } from '@rewardhook/local-stack';
import type { Admin, Receiver } from '@rewardhook/local-stack';

/** A registered webhook URL with the receiver behind it. */
export interface Webhook {
  id: string;
  receiver: Receiver;
}

/** Starts a receiver and registers it for both event types. */
export async function openWebhook(admin: Admin, merchantId: string, signingSecret: string): Promise<Webhook> {
  const receiver = await startReceiver({ signingSecret });
  try {
    const id = await addWebhook(admin, merchantId, `${receiver.url}/rewards`);
    return { id, receiver };
  } catch (error) {
    await receiver.close();
    throw error;
  }
}
