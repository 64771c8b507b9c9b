import { setTimeout } from 'node:timers/promises';
import type { Mood } from '../arena/open-webhook.ts';
import type { Fault } from './fault.ts';

/** Lets a merchant's receiver answer 500, hang or cut connections for a while, each delivery once. */
export const sickenReceiver: Fault = {
  name: 'sicken-receiver',
  weight: 3,
  async strike({ shops }, random) {
    const webhook = random.pick(random.pick(shops).webhooks);
    const mood = random.pick<Mood>(['errs', 'hangs', 'cuts']);
    const ms = Math.round(random.between(1_000, 8_000));
    webhook.setMood(mood);
    await setTimeout(ms);
    webhook.setMood('well');
    return `${webhook.id} ${mood} for ${ms} ms`;
  },
};
