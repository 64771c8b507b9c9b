import { useDisclosure } from '@mantine/hooks';
import { Button } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useList } from '../../../data/use-read.ts';
import type { ReplayListRow } from '../../../data/types.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { ListSkeleton } from '../../../ui/list-skeleton.tsx';
import { MoreButton, moreOf } from '../../../ui/more-button.tsx';
import { Section } from '../../../ui/section.tsx';
import { ReplayRow } from './replay-row.tsx';

/** A chunk of its own, because its calendar is large. */
const NewReplay = lazy(() => import('./new-replay.tsx').then((module) => ({ default: module.NewReplay })));

/** The replays of a webhook. */
export function Replays({ id }: { id: string }) {
  const { t } = useTranslation();
  const [opened, form] = useDisclosure(false);
  const replays = useList('GET /replays', { endpoint_id: id }, 2_000);
  const more = moreOf(replays);
  return (
    <Section
      title={t('replays.title')}
      lead={t('replays.lead')}
      flush
      actions={
        <Button variant="default" size="xs" onClick={form.open}>
          {t('replays.add')}
        </Button>
      }
    >
      {replays.rows ? (
        <>
          <ReplayList replays={replays.rows} />
          {more && <MoreButton more={more} />}
        </>
      ) : replays.error ? (
        <div style={{ padding: 20 }}>
          <ErrorNotice error={replays.error} retry={() => void replays.refetch()} />
        </div>
      ) : (
        <ListSkeleton />
      )}
      <Suspense fallback={null}>{opened && <NewReplay id={id} opened onClose={form.close} />}</Suspense>
    </Section>
  );
}

function ReplayList({ replays }: { replays: ReplayListRow[] }) {
  const { t } = useTranslation();
  if (replays.length === 0) return <EmptyState title={t('replays.empty')} text={t('replays.emptyText')} />;
  return (
    <ul style={{ listStyle: 'none', margin: 0, padding: 0 }} aria-label={t('replays.title')}>
      {replays.map((replay) => (
        <ReplayRow key={replay.id} replay={replay} />
      ))}
    </ul>
  );
}
