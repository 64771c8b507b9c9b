import { useTranslation } from 'react-i18next';
import type { OrderOutcome, OutcomeReward, Sending } from '../../../data/types.ts';
import type { Tone } from '../../../ui/badge.tsx';
import { useFormat } from '../../../ui/use-format.ts';

/** A part of an outcome, with the tone in which it is shown. */
export interface OutcomeLine {
  text: string;
  tone: Tone;
}

const toneOf: Record<Sending, Tone> = {
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

/**
 * Returns a function that says what became of the rewards of an order, a line for each: "3,000 points to bob: delivered". No line means
 * that it has none.
 */
export function useRewardLines(): (outcome: OrderOutcome) => OutcomeLine[] {
  const { t } = useTranslation();
  const { amount } = useFormat();
  const became = ({ state, sending }: OutcomeReward): string => {
    if (sending === null) return t(`outcomes.${state}`);
    const sent = t(`outcomes.sending.${sending}`);
    return state === 'revoked' ? `${t('outcomes.revoked')}, ${sent}` : sent;
  };
  return ({ rewards, more_rewards: more }) => [
    ...rewards.map((reward): OutcomeLine => {
      const { state, sending } = reward;
      const parameters = { member: reward.member_id, amount: amount(reward.amount, reward.unit) };
      return {
        text: t('outcomes.reward', { ...parameters, became: became(reward) }),
        // That a revocation arrived is no success of the order.
        tone:
          sending === null || (state === 'revoked' && sending === 'delivered')
            ? rewardTones[state]
            : toneOf[sending],
      };
    }),
    ...(more > 0 ? [{ text: t('outcomes.more', { count: more }), tone: 'idle' as const }] : []),
  ];
}
