import { Button, Group } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { MemberMerge, MemberTotals } from '../../../data/types.ts';
import { useRead } from '../../../data/use-read.ts';
import { pathOf, usePathId } from '../../../app/paths.ts';
import { useRight } from '../../../app/session-context.ts';
import { DateTime } from '../../../ui/date-time.tsx';
import { Figures } from '../../../ui/figures.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import { useFormat } from '../../../ui/use-format.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { Page } from '../../../ui/page.tsx';
import { ordersOfMemberColumns } from '../orders/order-columns.tsx';
import { refereeColumns } from '../referrals/referral-columns.tsx';
import { rewardsOfMemberColumns } from '../rewards/reward-columns.tsx';
import { MemberFacts } from './member-facts.tsx';
import { DataList } from '../../../ui/data-list.tsx';
import type { Columns, DataListProps } from '../../../ui/data-list.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Section } from '../../../ui/section.tsx';
import { TextLink } from '../../../ui/links.tsx';

const CorrectionDialog = lazy(async () => ({
  default: (await import('../orders/correction-dialog.tsx')).CorrectionDialog,
}));

/** One member: totals, referral code and share link, referrals, orders and rewards. */
export function Member() {
  const { t } = useTranslation();
  const memberId = usePathId();
  const canEdit = useRight('correct');
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
            <Totals totals={member.totals} />
            <MemberFacts member={member} />
            {member.merges.length > 0 && (
              <Section title={t('members.aliases')} flush>
                <DataList
                  caption={t('members.aliases')}
                  rows={member.merges}
                  columns={mergeColumns}
                  keyOf={(merge) => merge.former_member_id}
                  empty={null}
                />
              </Section>
            )}
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
              action={canEdit && <GrantButton orderId={member.orders[0]?.order_id ?? ''} />}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

const mergeColumns: Columns<MemberMerge> = ({ t }) => [
  {
    header: t('fields.member'),
    width: 92,
    cell: ({ former_member_id: id }) => <Identifier value={id} name={t('fields.member')} plain />,
  },
  { header: t('corrections.reason'), width: 240, cell: ({ reason }) => reason, wraps: true },
  { header: t('members.mergedBy'), cell: ({ merged_by: by }) => by, wraps: true },
  { header: t('members.mergedAt'), width: 120, cell: ({ merged_at: at }) => <DateTime at={at} /> },
];

/** What the member has bought, brought and got. */
function Totals({ totals }: { totals: MemberTotals }) {
  const { t } = useTranslation();
  const { amount, number, won } = useFormat();
  const { referred_orders: referred } = totals;
  return (
    <>
      <Figures
        figures={[
          { name: t('members.ordersOf'), value: number(totals.orders) },
          {
            name: t('members.referredRevenue'),
            value: won(totals.referred_revenue),
            note: t('members.referredOrders', { count: referred, number: number(referred) }),
          },
          ...totals.rewards.map(({ state, unit, amount: sum, rewards }) => ({
            name: t('members.rewardsIn', { state: t(`states.${state}`) }),
            value: amount(sum, unit),
            note: t('rewards.sum', { count: rewards, number: number(rewards) }),
          })),
        ]}
      />
      {totals.counted !== null && (
        <p role="status">{t('members.countedOnly', { number: number(totals.counted) })}</p>
      )}
    </>
  );
}

function GrantButton({ orderId }: { orderId: string }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        {t('corrections.grant')}
      </Button>
      <Suspense>
        {isOpen && (
          <CorrectionDialog
            correction={{ kind: 'grant', orderId, asksForOrder: true }}
            onClose={() => setOpen(false)}
          />
        )}
      </Suspense>
    </>
  );
}

interface MemberListProps<Row> extends Pick<DataListProps<Row>, 'columns' | 'keyOf' | 'linkOf'> {
  title: string;
  rows: Row[];
  /** The page with the complete list. */
  all: string;
  emptyTitle: string;
  action?: ReactNode;
}

/** The newest entries of a list that belongs to a member. */
function MemberList<Row>({ title, all, emptyTitle, action, ...list }: MemberListProps<Row>) {
  const { t } = useTranslation();
  return (
    <Section
      title={title}
      actions={
        <Group gap="sm">
          {list.rows.length > 0 && <TextLink to={all}>{t('members.showAll')}</TextLink>}
          {action}
        </Group>
      }
      flush
    >
      <DataList caption={title} {...list} empty={<EmptyState title={emptyTitle} />} />
    </Section>
  );
}
