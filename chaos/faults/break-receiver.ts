import { setTimeout } from 'node:timers/promises';
import type { ReceiverBehaviour } from '../../tests/harness/service-under-load/open-webhook.ts';
import type { Fault } from './fault.ts';

/** Makes a merchant's receiver respond with 500, hang or disconnect for some seconds, once for each delivery. */
export const breakReceiver: Fault = {
  name: 'break-receiver',
  weight: 3,
  async inject({ merchants }, random) {
    const webhook = random.pick(random.pick(merchants).webhooks);
    const behaviour = random.pick<ReceiverBehaviour>(['fails', 'hangs', 'disconnects']);
    const ms = Math.round(random.between(1_000, 8_000));
    webhook.setBehaviour(behaviour);
    await setTimeout(ms);
    webhook.setBehaviour('succeeds');
    return `${webhook.id} ${behaviour} for ${ms} ms`;
  },
};
