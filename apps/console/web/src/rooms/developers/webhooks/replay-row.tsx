import { Button, Progress } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSendOneOf } from '../../../data/use-send.ts';
import type { ReplayListRow } from '../../../data/types.ts';
import { DateTime } from '../../../ui/date-time.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import { useFormat } from '../../../ui/use-format.ts';
import classes from './replay-row.module.css';

/** One replay with its progress and actions. */
export function ReplayRow({ replay }: { replay: ReplayListRow }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const change = useSendOneOf<`POST /replays/:id/${'pause' | 'resume' | 'cancel'}`>();
  const actions = {
    running: ['pause', 'cancel'],
    paused: ['resume', 'cancel'],
    cancelled: [],
    done: [],
  } as const;
  const percentage = replay.total === 0 ? 100 : (replay.done / replay.total) * 100;
  return (
    <li className={classes['row']}>
      <StateBadge state={replay.state} />
      <div className={classes['what']}>
        <DateTime at={replay.from} /> – <DateTime at={replay.until} />
        <div style={{ color: 'var(--ink-soft)' }}>
          {replay.states.map((state) => t(`states.${state as 'delivered'}`)).join(', ')} ·{' '}
          {t('replays.pace', { count: replay.per_minute })} ·{' '}
          {replay.new_ids ? t('replays.newIds') : t('replays.sameIds')}
        </div>
      </div>
      <div className={classes['progress']}>
        <Progress value={percentage} aria-label={t('replays.progress')} mb={4} />
        <span aria-live="polite">
          {t(replay.total_complete ? 'replays.doneOf' : 'replays.doneOfAtLeast', {
            done: number(replay.done),
            total: number(replay.total),
          })}
        </span>
      </div>
      <div className={classes['buttons']}>
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
      </div>
      {change.error && <ErrorNotice error={change.error} />}
    </li>
  );
}
