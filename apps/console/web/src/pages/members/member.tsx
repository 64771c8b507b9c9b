import { useTranslation } from 'react-i18next';
import { useMember } from '../../api/members.ts';
import { pathOf, usePathId } from '../../app/paths.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { useOrderColumns } from '../orders/use-order-columns.tsx';
import { useReferralColumns } from '../referrals/use-referral-columns.tsx';
import { useRewardColumns } from '../rewards/use-reward-columns.tsx';
import { MemberFacts } from './member-facts.tsx';
import { MemberList } from './member-list.tsx';

/** One member: code and link, who brought whom, orders and rewards. */
export function Member() {
  const { t } = useTranslation();
  const memberId = usePathId();
  const query = useMember(memberId);
  const [orders, rewards, referees] = [
    useOrderColumns(false),
    useRewardColumns(false),
    useReferralColumns('referee'),
  ];
  return (
    <Page title={memberId} back={{ to: '/members', label: t('nav.members') }}>
      <Loaded query={query}>
        {(member) => (
          <>
            <MemberFacts member={member} />
            <MemberList
              title={t('members.referees')}
              all={`/referrals?member_id=${encodeURIComponent(memberId)}`}
              rows={member.referees}
              columns={referees}
              keyOf={({ id }) => id}
              linkOf={({ referee_member_id: id }) => pathOf.member(id)}
              emptyTitle={t('members.noReferrals')}
            />
            <MemberList
              title={t('nav.orders')}
              all={`/orders?member_id=${encodeURIComponent(memberId)}`}
              rows={member.orders}
              columns={orders}
              keyOf={({ order_id: id }) => id}
              linkOf={({ order_id: id }) => pathOf.order(id)}
              emptyTitle={t('members.noOrders')}
            />
            <MemberList
              title={t('nav.rewards')}
              all={`/rewards?member_id=${encodeURIComponent(memberId)}`}
              rows={member.rewards}
              columns={rewards}
              keyOf={({ id }) => id}
              emptyTitle={t('members.noRewards')}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}
