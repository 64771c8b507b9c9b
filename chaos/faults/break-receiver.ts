import { setTimeout } from 'node:timers/promises';
import type { ReceiverBehaviour } from '../environment/open-webhook.ts';
import type { Fault } from './fault.ts';

/** Lets a merchant's receiver answer 500, hang or cut connections for a while, each delivery once. */
export const breakReceiver: Fault = {
  name: 'sicken-receiver',
  weight: 3,
  async strike({ shops }, random) {
    const webhook = random.pick(random.pick(shops).webhooks);
    const behaviour = random.pick<ReceiverBehaviour>(['errs', 'hangs', 'cuts']);
    const ms = Math.round(random.between(1_000, 8_000));
    webhook.setBehaviour(behaviour);
    await setTimeout(ms);
    webhook.setBehaviour('well');
    return `${webhook.id} ${behaviour} for ${ms} ms`;
  },
};
