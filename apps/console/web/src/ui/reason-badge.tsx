import type { ReasonCode } from '@rewardhook/rewards';
import { useTranslation } from 'react-i18next';
import { Badge } from './badge.tsx';
import type { Tone } from './badge.tsx';

const tones: Partial<Record<ReasonCode, Tone>> = {
  rewarded: 'good',
  hold: 'info',
  under_review: 'warn',
  cancelled: 'warn',
  returned: 'warn',
  referrer_cap_reached: 'warn',
  budget_exhausted: 'bad',
  referral_rejected: 'bad',
};

/** The reason of a decision. */
export function ReasonBadge({ reason }: { reason: string }) {
  const { t } = useTranslation();
  const known = reason as ReasonCode;
  return <Badge tone={tones[known] ?? 'idle'}>{t(`reasons.${known}`, { defaultValue: reason })}</Badge>;
}
