import { textParameters } from '@rewardhook/rewards';
import type { Condition } from '@rewardhook/rewards';
import { useFormat } from '../../../ui/use-format.ts';

/** Returns a function that formats the parameters of a condition for its text and for that of its reason code. */
export function useConditionParameters() {
  const { won, number } = useFormat();
  return (condition: Condition): Partial<Record<'amount' | 'days' | 'order' | 'rewards', string>> => {
    const { amount, days, order, rewards } = textParameters(condition);
    return {
      ...(amount !== undefined && { amount: won(amount) }),
      ...(days !== undefined && { days: number(days) }),
      ...(order !== undefined && { order }),
      ...(rewards !== undefined && { rewards: number(rewards) }),
    };
  };
}
