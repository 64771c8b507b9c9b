import { useTranslation } from 'react-i18next';
import { Badge } from '../../../ui/badge.tsx';
import type { ReferralRow } from '../../../data/types.ts';
import type { Tone } from '../../../ui/badge.tsx';

/** The warnings of a referral, from the time when it was linked, and whether its referee was not new. */
export function FlagBadges({ referral }: { referral: Pick<ReferralRow, 'flags' | 'not_new'> }) {
  const { t } = useTranslation();
  const flags = referral.not_new ? [...referral.flags, 'not_new'] : referral.flags;
  if (flags.length === 0) return '–';
  return (
    <span style={{ display: 'inline-flex', flexWrap: 'wrap', gap: 4 }}>
      {flags.map((flag) => (
        <Badge key={flag} tone="warn">
          {t(`referrals.flagNames.${flag as 'code_velocity'}`, { defaultValue: flag })}
        </Badge>
      ))}
    </span>
  );
}

const tones: Record<ReferralRow['review'], Tone> = {
  none: 'idle',
  pending: 'warn',
  accepted: 'good',
  rejected: 'bad',
};

/** Whether a referral needs review, or the result of the review. */
export function ReviewBadge({ review }: { review: ReferralRow['review'] }) {
  const { t } = useTranslation();
  if (review === 'none') return '–';
  return <Badge tone={tones[review]}>{t(`referrals.reviews.${review}`)}</Badge>;
}
