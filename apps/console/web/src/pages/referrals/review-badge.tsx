import { useTranslation } from 'react-i18next';
import type { ReferralView } from '../../api/types.ts';
import { Badge } from '../../components/badge.tsx';
import type { Tone } from '../../components/badge.tsx';

const tones: Record<ReferralView['review'], Tone> = {
  none: 'idle',
  pending: 'warn',
  accepted: 'good',
  rejected: 'bad',
};

/** Whether a referral needs review, or what came of it. */
export function ReviewBadge({ review }: { review: ReferralView['review'] }) {
  const { t } = useTranslation();
  if (review === 'none') return '–';
  return <Badge tone={tones[review]}>{t(`referrals.reviews.${review}`)}</Badge>;
}
