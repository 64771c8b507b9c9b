import { useTranslation } from 'react-i18next';
import type { OutcomeReward, Sending } from '../data/types.ts';
import type { Tone } from './badge.tsx';

const sendingTones: Record<Sending, Tone> = {
  failed: 'bad',
  webhook_disabled: 'bad',
  webhook_failing: 'bad',
  no_webhook: 'bad',
  withheld: 'bad',
  cancelled: 'bad',
  stopped: 'bad',
  webhook_paused: 'warn',
  operator_paused: 'warn',
  retrying: 'warn',
  sending: 'info',
  delivered: 'good',
};

const rewardTones: Record<OutcomeReward['state'], Tone> = {
  pending: 'info',
  confirmed: 'good',
  revoked: 'idle',
  cancelled: 'idle',
};

/** Returns a function that says what became of a reward, such as "delivered", with the tone in which it is shown. */
export function useBecame(): (reward: Pick<OutcomeReward, 'state' | 'sending'>) => {
  text: string;
  tone: Tone;
} {
  const { t } = useTranslation();
  return ({ state, sending }) => {
    if (sending === null) return { text: t(`rewardOutcomes.${state}`), tone: rewardTones[state] };
    const sent = t(`rewardOutcomes.sending.${sending}`);
    if (state !== 'revoked') return { text: sent, tone: sendingTones[sending] };
    // That a revocation arrived is no success of the order.
    const tone = sending === 'delivered' ? rewardTones.revoked : sendingTones[sending];
    return { text: `${t('rewardOutcomes.revoked')}, ${sent}`, tone };
  };
}
