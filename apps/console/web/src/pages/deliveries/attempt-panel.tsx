import { IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { AttemptView } from '../../api/types.ts';
import { AttemptBadge } from '../../components/attempt-badge.tsx';
import { DateTime } from '../../components/date-time.tsx';
import { useFormat } from '../../formatting/use-format.ts';
import { AttemptDetail } from './attempt-detail.tsx';
import classes from './attempt-panel.module.css';

/** One attempt: its outcome in a line, and all of it when opened. `body` is what was sent. */
export function AttemptPanel({
  attempt,
  body,
  opened,
}: {
  attempt: AttemptView;
  body: string;
  opened: boolean;
}) {
  const { t } = useTranslation();
  const { milliseconds } = useFormat();
  return (
    <details className={classes['attempt']} open={opened}>
      <summary>
        <IconChevronRight size={16} aria-hidden />
        <span className={classes['number']}>{t('deliveries.attemptNumber', { number: attempt.number })}</span>
        <AttemptBadge attempt={attempt} />
        <span>{milliseconds(attempt.timings.total_ms)}</span>
        <span className={classes['when']}>
          <DateTime at={attempt.started_at} />
        </span>
      </summary>
      <div className={classes['body']}>
        <AttemptDetail attempt={attempt} body={body} />
      </div>
    </details>
  );
}
