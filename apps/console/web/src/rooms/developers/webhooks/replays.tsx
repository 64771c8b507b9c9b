import { useDisclosure } from '@mantine/hooks';
import { Button } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useList } from '../../../data/use-read.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PagedList } from '../../../ui/paged-list.tsx';
import { Section } from '../../../ui/section.tsx';
import { replayColumns } from './replay-columns.tsx';

/** A chunk of its own, because its calendar is large. */
const NewReplay = lazy(() => import('./new-replay.tsx').then((module) => ({ default: module.NewReplay })));

/** All replays, with their progress. Nothing while there are none. */
export function ReplaysOfAll() {
  const { t } = useTranslation();
  const replays = useList('GET /replays', {}, 2_000);
  if (!replays.rows?.length) return null;
  return (
    <Section title={t('replays.title')} lead={t('replays.lead')} flush>
      <PagedList caption={t('replays.title')} pages={replays} columns={replayColumns} empty={null} />
    </Section>
  );
}

/** The replays of a webhook. */
export function Replays({ id }: { id: string }) {
  const { t } = useTranslation();
  const [opened, form] = useDisclosure(false);
  const replays = useList('GET /replays', { endpoint_id: id }, 2_000);
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
      <PagedList
        caption={t('replays.title')}
        pages={replays}
        columns={replayColumns}
        empty={<EmptyState title={t('replays.empty')} text={t('replays.emptyText')} />}
      />
      <Suspense fallback={null}>{opened && <NewReplay id={id} onClose={form.close} />}</Suspense>
    </Section>
  );
}
