import { addWebhook, startReceiver } from '@rewardhook/local-stack';
import type { Admin, ReceivedWebhook, Receiver } from '@rewardhook/local-stack';

/** How a receiver responds: with success, with 500, never, or by closing the connection. */
export type ReceiverBehaviour = 'succeeds' | 'fails' | 'hangs' | 'disconnects';

/** A registered webhook URL with the receiver behind it. */
export interface Webhook {
  id: string;
  receiver: Receiver;
  setBehaviour(behaviour: ReceiverBehaviour): void;
}

/** Starts a receiver and registers it for both event types. */
export async function openWebhook(admin: Admin, merchantId: string, signingSecret: string): Promise<Webhook> {
  let behaviour: ReceiverBehaviour = 'succeeds';
  const failed = new Set<string>();
  const respond = ({ deliveryId = '' }: ReceivedWebhook): number | Promise<number> => {
    // Each delivery fails at most once: the second retry follows after a minute, the third after five.
    if (behaviour === 'succeeds' || failed.has(deliveryId)) return 204;
    failed.add(deliveryId);
    if (behaviour === 'fails') return 500;
    if (behaviour === 'hangs') return new Promise<number>(() => undefined);
    throw new Error('disconnected on purpose');
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
