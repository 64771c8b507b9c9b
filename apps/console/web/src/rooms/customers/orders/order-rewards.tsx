import { Button, Group } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useRewards } from '../../../data/rewards.ts';
import type { RewardView } from '../../../data/types.ts';
import { usePermissions } from '../../../app/session-context.ts';
import { Badge } from '../../../ui/badge.tsx';
import { PagedList } from '../../../ui/data-list.tsx';
import type { Column } from '../../../ui/data-list.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Section } from '../../../ui/section.tsx';
import { useRewardColumns } from '../rewards/use-reward-columns.tsx';
import type { Correction } from './correction-dialog.tsx';

const CorrectionDialog = lazy(async () => ({
  default: (await import('./correction-dialog.tsx')).CorrectionDialog,
}));

/** The rewards of an order. Whoever may edit can give another one, adjust one, or revoke one. */
export function OrderRewards({ orderId }: { orderId: string }) {
  const { t } = useTranslation();
  const { canEdit } = usePermissions();
  const [correction, setCorrection] = useState<Correction>();
  const rewards = useRewards({ order_id: orderId });
  const byHand = rewards.rows?.some((reward) => reward.corrected) ?? false;
  const corrected: Column<RewardView> = {
    header: t('corrections.column'),
    cell: ({ corrected: how }) => (how ? <Badge tone="info">{t(`corrections.${how}`)}</Badge> : '–'),
  };
  const actions: Column<RewardView> = {
    header: '',
    cell: (reward) =>
      (reward.state === 'pending' || reward.state === 'confirmed') && (
        <Group gap="xs" wrap="nowrap">
          {(['adjust', 'revoke'] as const).map((kind) => (
            <Button
              key={kind}
              variant="default"
              size="xs"
              {...(kind === 'revoke' && { c: 'var(--tone-bad)' })}
              onClick={() => setCorrection({ kind, reward })}
            >
              {t(`corrections.${kind}`)}
            </Button>
          ))}
        </Group>
      ),
  };
  return (
    <Section
      title={t('nav.rewards')}
      flush
      actions={
        canEdit && (
          <Button variant="default" size="xs" onClick={() => setCorrection({ kind: 'grant', orderId })}>
            {t('corrections.grant')}
          </Button>
        )
      }
    >
      <PagedList
        caption={t('nav.rewards')}
        pages={rewards}
        columns={[
          ...useRewardColumns({ without: 'order' }),
          ...(byHand ? [corrected] : []),
          ...(canEdit ? [actions] : []),
        ]}
        keyOf={({ id }) => id}
        empty={<EmptyState title={t('corrections.empty')} />}
      />
      <Suspense>
        {correction && <CorrectionDialog correction={correction} onClose={() => setCorrection(undefined)} />}
      </Suspense>
    </Section>
  );
}
