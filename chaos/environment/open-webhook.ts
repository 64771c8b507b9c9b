import { addWebhook, startReceiver } from '@rewardhook/local-stack';
import type { Admin, ReceivedWebhook, Receiver } from '@rewardhook/local-stack';

/** How a receiver answers: with success, with 500, not at all, or by cutting the connection. */
export type ReceiverBehaviour = 'well' | 'errs' | 'hangs' | 'cuts';

/** A registered webhook URL with the receiver behind it. */
export interface Webhook {
  id: string;
  receiver: Receiver;
  setBehaviour(behaviour: ReceiverBehaviour): void;
}

/** Starts a receiver and registers it for both event types. */
export async function openWebhook(admin: Admin, merchantId: string, signingSecret: string): Promise<Webhook> {
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
  try {
    const id = await addWebhook(admin, merchantId, `${receiver.url}/rewards`);
    return { id, receiver, setBehaviour: (next) => void (behaviour = next) };
  } catch (error) {
    await receiver.close();
    throw error;
  }
}
