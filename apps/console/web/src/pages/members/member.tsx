import { useTranslation } from 'react-i18next';
import { useMember } from '../../api/members.ts';
import { pathOf, usePathId } from '../../app/paths.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { useOrderColumns } from '../orders/use-order-columns.tsx';
import { useReferralColumns } from '../referrals/use-referral-columns.tsx';
import { useRewardColumns } from '../rewards/use-reward-columns.tsx';
import { MemberFacts } from './member-facts.tsx';

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
  const all = (list: string) => (
    <TextLink to={`/${list}?member_id=${encodeURIComponent(memberId)}`}>{t('members.showAll')}</TextLink>
  );
  return (
    <Page title={memberId} back={{ to: '/members', label: t('nav.members') }}>
      <Loaded query={query}>
        {(member) => (
          <>
            <MemberFacts member={member} />
            <Section
              title={t('members.brought')}
              actions={member.referees.length > 0 ? all('referrals') : undefined}
              flush
            >
              <DataList
                caption={t('members.brought')}
                rows={member.referees}
                columns={referees}
                keyOf={({ id }) => id}
                linkOf={({ referee_member_id: id }) => pathOf.member(id)}
                empty={<EmptyState title={t('members.broughtNobody')} />}
              />
            </Section>
            <Section
              title={t('nav.orders')}
              actions={member.orders.length > 0 ? all('orders') : undefined}
              flush
            >
              <DataList
                caption={t('nav.orders')}
                rows={member.orders}
                columns={orders}
                keyOf={({ order_id: id }) => id}
                linkOf={({ order_id: id }) => pathOf.order(id)}
                empty={<EmptyState title={t('members.noOrders')} />}
              />
            </Section>
            <Section
              title={t('nav.rewards')}
              actions={member.rewards.length > 0 ? all('rewards') : undefined}
              flush
            >
              <DataList
                caption={t('nav.rewards')}
                rows={member.rewards}
                columns={rewards}
                keyOf={({ id }) => id}
                empty={<EmptyState title={t('members.noRewards')} />}
              />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}
