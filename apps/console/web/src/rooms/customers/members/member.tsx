import { useTranslation } from 'react-i18next';
import { useRead } from '../../../data/use-read.ts';
import { pathOf, usePathId } from '../../../app/paths.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { Page } from '../../../ui/page.tsx';
import { ordersOfMemberColumns } from '../orders/order-columns.tsx';
import { refereeColumns } from '../referrals/referral-columns.tsx';
import { rewardsOfMemberColumns } from '../rewards/reward-columns.tsx';
import { MemberFacts } from './member-facts.tsx';
import { DataList } from '../../../ui/data-list.tsx';
import type { DataListProps } from '../../../ui/data-list.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Section } from '../../../ui/section.tsx';
import { TextLink } from '../../../ui/links.tsx';

/** One member: referral code and share link, referrals, orders and rewards. */
export function Member() {
  const { t } = useTranslation();
  const memberId = usePathId();
  const query = useRead('GET /members/:member_id', { member_id: memberId });
  return (
    <Page
      docs="linking"
      title={query.data?.member_id ?? memberId}
      back={{ to: '/members', label: t('nav.members') }}
    >
      <Loaded query={query}>
        {(member) => (
          <>
            <MemberFacts member={member} />
            <MemberList
              title={t('members.referees')}
              all={`/referrals?member_id=${encodeURIComponent(memberId)}`}
              rows={member.referees}
              columns={refereeColumns}
              keyOf={({ id }) => id}
              linkOf={({ referee_member_id: id }) => pathOf.member(id)}
              emptyTitle={t('members.noReferrals')}
            />
            <MemberList
              title={t('nav.orders')}
              all={`/orders?member_id=${encodeURIComponent(memberId)}`}
              rows={member.orders}
              columns={ordersOfMemberColumns}
              keyOf={({ order_id: id }) => id}
              linkOf={({ order_id: id }) => pathOf.order(id)}
              emptyTitle={t('members.noOrders')}
            />
            <MemberList
              title={t('nav.rewards')}
              all={`/rewards?member_id=${encodeURIComponent(memberId)}`}
              rows={member.rewards}
              columns={rewardsOfMemberColumns}
              keyOf={({ id }) => id}
              emptyTitle={t('members.noRewards')}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface MemberListProps<Row> extends Pick<DataListProps<Row>, 'columns' | 'keyOf' | 'linkOf'> {
  title: string;
  rows: Row[];
  /** The page with the complete list. */
  all: string;
  emptyTitle: string;
}

/** The newest entries of a list that belongs to a member. */
function MemberList<Row>({ title, all, emptyTitle, ...list }: MemberListProps<Row>) {
  const { t } = useTranslation();
  return (
    <Section
      title={title}
      actions={list.rows.length > 0 ? <TextLink to={all}>{t('members.showAll')}</TextLink> : undefined}
      flush
    >
      <DataList caption={title} {...list} empty={<EmptyState title={emptyTitle} />} />
    </Section>
  );
}
