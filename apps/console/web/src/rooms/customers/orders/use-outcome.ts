import { useTranslation } from 'react-i18next';
import type { OrderOutcome } from '../../../data/types.ts';
import type { Tone } from '../../../ui/badge.tsx';
import { useBecame } from '../../../ui/use-became.ts';
import { useFormat } from '../../../ui/use-format.ts';

/** A part of an outcome, with the tone in which it is shown. */
export interface OutcomeLine {
  text: string;
  tone: Tone;
}

/**
 * Returns a function that says what became of the rewards of an order, a line for each: "3,000 points to bob: delivered". No line means
 * that it has none.
 */
export function useRewardLines(): (outcome: OrderOutcome) => OutcomeLine[] {
  const { t } = useTranslation();
  const { amount } = useFormat();
  const became = useBecame();
  return ({ rewards, more_rewards: more }) => [
    ...rewards.map((reward): OutcomeLine => {
      const { text, tone } = became(reward);
      const parameters = { member: reward.member_id, amount: amount(reward.amount, reward.unit) };
      return { text: t('outcomes.reward', { ...parameters, became: text }), tone };
    }),
    ...(more > 0 ? [{ text: t('outcomes.more', { count: more }), tone: 'idle' as const }] : []),
  ];
}
