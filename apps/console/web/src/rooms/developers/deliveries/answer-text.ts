import type { Format } from '../../../ui/use-format.ts';

/** The answer to an attempt: a class of statuses, a status, `none`, or why there was no response. */
export function answerText(t: Format['t'], answer: string): string {
  if (/^\d/.test(answer)) return `HTTP ${answer}`;
  if (answer === 'none') return t('deliveries.noResponse');
  return t(`attemptErrors.${answer as 'dns'}`, { defaultValue: answer });
}
