import { Button, Group, Progress } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSendOneOf } from '../../../data/use-send.ts';
import type { ReplayListRow } from '../../../data/types.ts';
import type { Columns } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import { answerText } from '../deliveries/answer-text.ts';

/** The columns of a list of replays, with their progress and actions. */
export const replayColumns: Columns<ReplayListRow> = ({ t, number }) => [
  { header: t('fields.state'), width: 100, cell: ({ state }) => <StateBadge state={state} /> },
  {
    header: t('nav.deliveries'),
    width: 300,
    wraps: true,
    cell: (replay) => (
      <div>
        <DateTime at={replay.from} /> – <DateTime at={replay.until} />
        <div style={{ color: 'var(--ink-soft)' }}>
          {replay.states.map((state) => t(`states.${state as 'delivered'}`)).join(', ')} ·{' '}
          {replay.answers.length > 0 &&
            `${replay.answers.map((answer) => answerText(t, answer)).join(', ')} · `}
          {replay.endpoint_id === null && `${t('deliveries.allWebhooks')} · `}
          {t('replays.pace', { count: replay.per_minute })} ·{' '}
          {replay.new_ids ? t('replays.newIds') : t('replays.sameIds')}
        </div>
      </div>
    ),
  },
  {
    header: t('replays.progress'),
    width: 170,
    wraps: true,
    cell: ({ done, total, total_complete: isComplete }) => (
      <div style={{ flex: '0 1 200px' }}>
        <Progress
          value={total === 0 ? 100 : (done / total) * 100}
          aria-label={t('replays.progress')}
          mb={4}
        />
        <span aria-live="polite">
          {t(isComplete ? 'replays.doneOf' : 'replays.doneOfAtLeast', {
            done: number(done),
            total: number(total),
          })}
        </span>
      </div>
    ),
  },
  { header: '', width: 150, end: true, wraps: true, cell: (replay) => <ReplayActions replay={replay} /> },
];

const actions = {
  running: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
  cancelled: [],
  done: [],
} as const;

function ReplayActions({ replay }: { replay: ReplayListRow }) {
  const { t } = useTranslation();
  const change = useSendOneOf<`POST /replays/:id/${'pause' | 'resume' | 'cancel'}`>();
  return (
    <Group gap={6} justify="flex-end">
      {actions[replay.state].map((action) => (
        <Button
          key={action}
          size="xs"
          variant="default"
          loading={change.isPending && change.variables.route === `POST /replays/:id/${action}`}
          onClick={() => change.mutate({ route: `POST /replays/:id/${action}`, input: { id: replay.id } })}
        >
          {t(`replays.${action}`)}
        </Button>
      ))}
      <ErrorNotice error={change.error} />
    </Group>
  );
}
