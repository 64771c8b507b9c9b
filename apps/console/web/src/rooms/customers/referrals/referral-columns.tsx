import type { ReferralRow } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import type { Columns } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { idColumn } from '../../../ui/id-column.tsx';
import { FlagBadges, ReviewBadge } from './referral-badges.tsx';

/** The columns of a list of referrals. A list of one referrer shows the referees only. */
const columns =
  (withReferrer: boolean): Columns<ReferralRow> =>
  ({ t }) => [
    ...(withReferrer
      ? [idColumn<ReferralRow>(t('rewardRoles.referrer'), (row) => row.referrer_member_id, pathOf.member)]
      : []),
    idColumn(t('rewardRoles.referee'), (row) => row.referee_member_id, pathOf.member),
    idColumn(t('members.code'), ({ code }) => code),
    { header: t('referrals.source'), width: 75, cell: ({ source }) => t(`referrals.sources.${source}`) },
    { header: t('referrals.flags'), width: 140, cell: (row) => <FlagBadges referral={row} />, wraps: true },
    { header: t('referrals.review'), width: 110, cell: ({ review }) => <ReviewBadge review={review} /> },
    { header: t('referrals.linked'), width: 120, cell: ({ linked_at: at }) => <DateTime at={at} /> },
  ];

export const referralColumns = columns(true);
export const refereeColumns = columns(false);
