import { startReceiver } from '@rewardhook/testing';
import type { ReceivedWebhook, Receiver, Stack } from '@rewardhook/testing';
import { runAdmin } from './run-admin.ts';

/** How a receiver answers: with success, with 500, not at all, or by cutting the connection. */
export type ReceiverBehaviour = 'well' | 'errs' | 'hangs' | 'cuts';

/** A registered webhook URL with the receiver behind it. */
export interface Webhook {
  id: string;
  receiver: Receiver;
  setBehaviour(behaviour: ReceiverBehaviour): void;
}

/** Starts a receiver and registers it for both event types. */
export async function openWebhook(stack: Stack, merchantId: string, signingSecret: string): Promise<Webhook> {
  let behaviour: ReceiverBehaviour = 'well';
  const refused = new Set<string>();
  const respond = ({ deliveryId = '' }: ReceivedWebhook): number | Promise<number> => {
    // Each delivery is refused once at most: the schedule's second retry comes after a minute, the third after five.
    if (behaviour === 'well' || refused.has(deliveryId)) return 204;
    refused.add(deliveryId);
    if (behaviour === 'errs') return 500;
    if (behaviour === 'hangs') return new Promise<number>(() => undefined);
    throw new Error('cut');
  };
  const receiver = await startReceiver({ signingSecret, respond });
  const events = 'reward.issue,reward.revoke';
  const words = ['webhook', 'add', '--merchant', merchantId, '--url', `${receiver.url}/rewards`];
  const added = await runAdmin(stack.environment, ...words, '--events', events);
  if (!added.ok) {
    await receiver.close();
    throw new Error(`the webhook could not be added: ${added.said}`);
  }
  const { webhookId } = added.document as { webhookId: string };
  return { id: webhookId, receiver, setBehaviour: (next) => void (behaviour = next) };
}
