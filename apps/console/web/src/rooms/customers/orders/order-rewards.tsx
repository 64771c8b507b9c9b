import { Button, Group } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useList } from '../../../data/use-read.ts';
import type { RewardListRow } from '../../../data/types.ts';
import { useRight } from '../../../app/session-context.ts';
import { Badge } from '../../../ui/badge.tsx';
import type { Column, Columns } from '../../../ui/data-list.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PagedList } from '../../../ui/paged-list.tsx';
import { Section } from '../../../ui/section.tsx';
import { rewardsOfOrderColumns } from '../rewards/reward-columns.tsx';
import type { Correction } from './correction-dialog.tsx';

const CorrectionDialog = lazy(async () => ({
  default: (await import('./correction-dialog.tsx')).CorrectionDialog,
}));

/** The rewards of an order. Whoever may edit can give another one, adjust one, or revoke one. */
export function OrderRewards({ orderId }: { orderId: string }) {
  const { t } = useTranslation();
  const canEdit = useRight('correct');
  const [correction, setCorrection] = useState<Correction>();
  const rewards = useList('GET /rewards', { order_id: orderId }, 5_000);
  const byHand = rewards.rows?.some((reward) => reward.corrected) ?? false;
  const corrected: Column<RewardListRow> = {
    header: t('corrections.column'),
    cell: ({ corrected: how }) => (how ? <Badge tone="info">{t(`corrections.${how}`)}</Badge> : '–'),
  };
  const actions: Column<RewardListRow> = {
    header: '',
    width: 150,
    end: true,
    cell: (reward) =>
      (reward.state === 'pending' || reward.state === 'confirmed') && (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
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
  const columns: Columns<RewardListRow> = (format) => [
    ...rewardsOfOrderColumns(format),
    ...(byHand ? [corrected] : []),
    ...(canEdit ? [actions] : []),
  ];
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
        columns={columns}
        empty={<EmptyState title={t('corrections.empty')} />}
      />
      <Suspense>
        {correction && <CorrectionDialog correction={correction} onClose={() => setCorrection(undefined)} />}
      </Suspense>
    </Section>
  );
}
