import { useTranslation } from 'react-i18next';
import type { ReferralView } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { Badge } from '../../parts/badge.tsx';
import type { Column } from '../../parts/data-list.tsx';
import { DateTime } from '../../parts/date-time.tsx';
import { Identifier } from '../../parts/identifier.tsx';

/** The columns of a list of referrals; of one referrer only the referees. */
export function useReferralColumns(sides: 'both' | 'referee' = 'both'): Column<ReferralView>[] {
  const { t } = useTranslation();
  const referrer: Column<ReferralView> = {
    header: t('rewardRoles.referrer'),
    cell: ({ referrer_member_id: id }) => (
      <Identifier value={id} what={t('rewardRoles.referrer')} to={pathOf.member(id)} />
    ),
  };
  return [
    ...(sides === 'both' ? [referrer] : []),
    {
      header: t('rewardRoles.referee'),
      cell: ({ referee_member_id: id }) => (
        <Identifier value={id} what={t('rewardRoles.referee')} to={pathOf.member(id)} />
      ),
    },
    { header: t('members.code'), cell: ({ code }) => <Identifier value={code} what={t('members.code')} /> },
    { header: t('referrals.source'), cell: ({ source }) => t(`referrals.sources.${source}`) },
    {
      header: t('referrals.flags'),
      cell: ({ flags }) =>
        flags.length === 0
          ? '–'
          : flags.map((flag) => (
              <Badge key={flag} tone="warn">
                {t(`referrals.flagNames.${flag as 'code_velocity'}`, { defaultValue: flag })}
              </Badge>
            )),
    },
    { header: t('referrals.linked'), cell: ({ linked_at: at }) => <DateTime at={at} /> },
  ];
}
