import { useTranslation } from 'react-i18next';
import type { RewardListRow } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import type { Column } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import { useFormat } from '../../../ui/use-format.ts';

/** The columns of a list of rewards. That of one member or of one order omits it; the page of an order has the times elsewhere. */
export function useRewardColumns({
  without,
}: { without?: 'member' | 'order' } = {}): Column<RewardListRow>[] {
  const { t } = useTranslation();
  const { amount } = useFormat();
  const member: Column<RewardListRow> = {
    header: t('fields.member'),
    cell: ({ member_id: id }) => <Identifier value={id} name={t('fields.member')} to={pathOf.member(id)} />,
  };
  const order: Column<RewardListRow> = {
    header: t('fields.order'),
    cell: ({ order_id: id }) => <Identifier value={id} name={t('fields.order')} to={pathOf.order(id)} />,
  };
  const given: Column<RewardListRow> = {
    header: t('rewards.given'),
    cell: ({ created_at: at }) => <DateTime at={at} />,
  };
  return [
    { header: t('fields.state'), cell: ({ state }) => <StateBadge state={state} /> },
    ...(without === 'member' ? [] : [member]),
    { header: t('rewards.role'), cell: ({ role }) => t(`rewardRoles.${role}`) },
    { header: t('rewards.amount'), cell: (reward) => amount(reward.amount, reward.unit), end: true },
    ...(without === 'order' ? [] : [order]),
    {
      header: t('rewards.lastChange'),
      cell: ({
        ended_at: ended,
        confirmed_at: confirmed,
        confirm_due_at: due,
        created_at: created,
        state,
      }) =>
        state === 'pending' && due ? (
          <span>
            {t('rewards.confirmDue')} <DateTime at={due} relative />
          </span>
        ) : (
          <DateTime at={ended ?? confirmed ?? created} relative />
        ),
    },
    ...(without === 'order' ? [] : [given]),
  ];
}
