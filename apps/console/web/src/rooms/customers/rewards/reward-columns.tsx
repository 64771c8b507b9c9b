import type { RewardListRow } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import type { Column, Columns } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { idColumn } from '../../../ui/id-column.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';

/** The columns of a list of rewards. That of one member or of one order omits it; the page of an order has the times elsewhere. */
const columns =
  (without?: 'member' | 'order'): Columns<RewardListRow> =>
  ({ t, amount }) => {
    const member = idColumn<RewardListRow>(t('fields.member'), (reward) => reward.member_id, pathOf.member);
    const order = idColumn<RewardListRow>(t('fields.order'), (reward) => reward.order_id, pathOf.order);
    const given: Column<RewardListRow> = {
      header: t('rewards.given'),
      width: 192,
      cell: ({ created_at: at }) => <DateTime at={at} />,
    };
    return [
      { header: t('fields.state'), width: 100, cell: ({ state }) => <StateBadge state={state} /> },
      ...(without === 'member' ? [] : [member]),
      { header: t('rewards.role'), width: 112, cell: ({ role }) => t(`rewardRoles.${role}`) },
      {
        header: t('rewards.amount'),
        width: 100,
        cell: (reward) => amount(reward.amount, reward.unit),
        end: true,
      },
      ...(without === 'order' ? [] : [order]),
      {
        header: t('rewards.lastChange'),
        width: 150,
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
  };

export const rewardColumns = columns();
export const rewardsOfMemberColumns = columns('member');
export const rewardsOfOrderColumns = columns('order');
