import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useRead } from '../../../data/use-read.ts';
import type { ReferralRow } from '../../../data/types.ts';
import { pathOf, usePathId } from '../../../app/paths.ts';
import { useRight } from '../../../app/session-context.ts';
import { DataList } from '../../../ui/data-list.tsx';
import type { Columns } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { idColumn } from '../../../ui/id-column.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Page } from '../../../ui/page.tsx';
import { Section } from '../../../ui/section.tsx';
import { rewardColumns } from '../rewards/reward-columns.tsx';
import { MoveButton } from './move-button.tsx';
import { FlagBadges, ReviewBadge } from './referral-badges.tsx';
import { ReviewButtons } from './review-buttons.tsx';

/** One referral: its origin, its rewards, its review, and the changes of its referrer. */
export function Referral() {
  const { t } = useTranslation();
  const query = useRead('GET /referrals/:id', { id: usePathId() }, { refetchInterval: 5_000 });
  return (
    <Page
      docs="linking#flags-and-review"
      title={t('referrals.one')}
      back={{ to: '/referrals', label: t('nav.referrals') }}
    >
      <Loaded query={query}>
        {(detail) => (
          <>
            {detail.referral.review === 'pending' && <ReviewNotice referral={detail.referral} />}
            <ReferralFacts referral={detail.referral} />
            <Section title={t('nav.rewards')} flush>
              <DataList
                caption={t('nav.rewards')}
                rows={detail.rewards}
                columns={rewardColumns}
                keyOf={({ id }) => id}
                empty={<EmptyState title={t('members.noRewards')} />}
              />
            </Section>
            {detail.referral.moves.length > 0 && <ReferralMoves moves={detail.referral.moves} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function ReviewNotice({ referral }: { referral: ReferralRow }) {
  const { t } = useTranslation();
  const canReview = useRight('review');
  return (
    <Alert
      variant="default"
      icon={<IconAlertTriangle aria-hidden color="var(--tone-warn)" />}
      title={t('referrals.reviews.pending')}
      styles={{ root: { borderColor: 'var(--tone-warn)' } }}
    >
      <p style={{ margin: '0 0 12px' }}>{t('referrals.reviewText')}</p>
      {canReview ? <ReviewButtons referralId={referral.id} /> : t('referrals.cannotReview')}
    </Alert>
  );
}

const moveColumns: Columns<ReferralRow['moves'][number]> = ({ t }) => [
  idColumn(t('referrals.movedTo'), (move) => move.to_referrer_member_id, pathOf.member),
  idColumn(t('referrals.movedFrom'), (move) => move.from_referrer_member_id, pathOf.member),
  { header: t('referrals.moveReason'), width: 240, cell: ({ reason }) => reason, wraps: true },
  { header: t('referrals.movedBy'), cell: ({ moved_by: by }) => by, wraps: true },
  { header: t('referrals.movedAt'), width: 120, cell: ({ moved_at: at }) => <DateTime at={at} /> },
];

function ReferralMoves({ moves }: { moves: ReferralRow['moves'] }) {
  const { t } = useTranslation();
  return (
    <Section title={t('referrals.moves')} flush>
      <DataList
        caption={t('referrals.moves')}
        rows={moves}
        columns={moveColumns}
        keyOf={({ number }) => String(number)}
        empty={null}
      />
    </Section>
  );
}

function ReferralFacts({ referral }: { referral: ReferralRow }) {
  const { t } = useTranslation();
  const canMove = useRight('correct');
  const member = (id: string, what: string) => <Identifier value={id} name={what} to={pathOf.member(id)} />;
  return (
    <Section
      title={t('referrals.about')}
      actions={
        canMove &&
        referral.ended === null && <MoveButton label={t('referrer.change.action')} target={{ referral }} />
      }
    >
      <Facts
        facts={[
          [t('rewardRoles.referrer'), member(referral.referrer_member_id, t('rewardRoles.referrer'))],
          [t('rewardRoles.referee'), member(referral.referee_member_id, t('rewardRoles.referee'))],
          [t('members.code'), <Identifier value={referral.code} name={t('members.code')} />],
          [t('referrals.source'), t(`referrals.sources.${referral.source}`)],
          [t('referrals.linked'), <DateTime at={referral.linked_at} />],
          [
            t('referrals.fromOrder'),
            referral.from_order_id === null ? undefined : (
              <Identifier
                value={referral.from_order_id}
                name={t('referrals.fromOrder')}
                to={pathOf.order(referral.from_order_id)}
              />
            ),
          ],
          [t('referrals.ended'), referral.ended === null ? undefined : t(`referrals.ends.${referral.ended}`)],
          [t('referrals.flags'), <FlagBadges referral={referral} />],
          [t('referrals.review'), <ReviewBadge review={referral.review} />],
          [t('referrals.reviewedBy'), referral.reviewed_by ?? undefined],
          [
            t('referrals.reviewedAt'),
            referral.reviewed_at === null ? undefined : <DateTime at={referral.reviewed_at} />,
          ],
        ]}
      />
    </Section>
  );
}
