import { useDisclosure } from '@mantine/hooks';
import { Button } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useReplays } from '../../api/replays.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Section } from '../../parts/section.tsx';
import { ReplayRow } from './replay-row.tsx';

/** Its calendar comes when it is asked for. */
const NewReplay = lazy(() => import('./new-replay.tsx').then((module) => ({ default: module.NewReplay })));

/** Sending again what was sent before, and how far that is. */
export function Replays({ id }: { id: string }) {
  const { t } = useTranslation();
  const [opened, form] = useDisclosure(false);
  const replays = useReplays();
  const own = (replays.rows ?? []).filter(
    ({ endpoint_id: endpoint }) => endpoint === id || endpoint === null,
  );
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
      {own.length === 0 ? (
        <EmptyState title={t('replays.empty')} text={t('replays.emptyText')} />
      ) : (
        <ul style={{ listStyle: 'none', margin: 0, padding: 0 }} aria-label={t('replays.title')}>
          {own.map((replay) => (
            <ReplayRow key={replay.id} replay={replay} />
          ))}
        </ul>
      )}
      <Suspense fallback={null}>{opened && <NewReplay id={id} opened onClose={form.close} />}</Suspense>
    </Section>
  );
}
