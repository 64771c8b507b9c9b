import { useTranslation } from 'react-i18next';
import type { ReferralRow } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import type { Column } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import { FlagBadges } from './referral-badges.tsx';
import { ReviewBadge } from './referral-badges.tsx';

/** The columns of a list of referrals. A list of one referrer shows the referees only. */
export function useReferralColumns(sides: 'both' | 'referee' = 'both'): Column<ReferralRow>[] {
  const { t } = useTranslation();
  const referrer: Column<ReferralRow> = {
    header: t('rewardRoles.referrer'),
    cell: ({ referrer_member_id: id }) => (
      <Identifier value={id} name={t('rewardRoles.referrer')} to={pathOf.member(id)} />
    ),
  };
  return [
    ...(sides === 'both' ? [referrer] : []),
    {
      header: t('rewardRoles.referee'),
      cell: ({ referee_member_id: id }) => (
        <Identifier value={id} name={t('rewardRoles.referee')} to={pathOf.member(id)} />
      ),
    },
    { header: t('members.code'), cell: ({ code }) => <Identifier value={code} name={t('members.code')} /> },
    { header: t('referrals.source'), cell: ({ source }) => t(`referrals.sources.${source}`) },
    {
      header: t('referrals.flags'),
      cell: (referral) => <FlagBadges referral={referral} />,
    },
    { header: t('referrals.review'), cell: ({ review }) => <ReviewBadge review={review} /> },
    { header: t('referrals.linked'), cell: ({ linked_at: at }) => <DateTime at={at} /> },
  ];
}
