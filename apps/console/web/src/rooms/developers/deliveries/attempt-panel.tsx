import { IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { AttemptView } from '../../../data/types.ts';
import { AttemptBadge } from '../../../ui/attempt-badge.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { useFormat } from '../../../ui/use-format.ts';
import classes from './attempt-panel.module.css';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { DocsLink } from '../../../ui/docs-link.tsx';
import { Snippet } from '../../../ui/snippet.tsx';
import { TimingBar } from '../../../ui/timing-bar.tsx';
import { asCurl } from './as-curl.ts';
import { indentJson } from '../../../ui/indent-json.ts';

/** One attempt: its outcome, and its details when opened. `body` is the body of the request. */
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
          <DateTime at={attempt.started_at} exact />
        </span>
      </summary>
      <div className={classes['body']}>
        <AttemptDetail attempt={attempt} body={body} />
      </div>
    </details>
  );
}

/** What was unusual about an attempt. */
function AttemptNotes({ attempt }: { attempt: AttemptView }) {
  const { t } = useTranslation();
  const notes = [
    attempt.warning !== null && t('deliveries.attemptWarning', { warning: attempt.warning }),
    attempt.retried_on_new_connection && t('deliveries.attemptRetriedOnNewConnection'),
    attempt.ignored && t('deliveries.attemptIgnored'),
  ].filter((note) => note !== false);
  return notes.map((note) => (
    <p key={note} style={{ margin: 0 }}>
      {note}
    </p>
  ));
}

const linesOf = (headers: Record<string, string>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** Timings, request and response of an attempt. */
function AttemptDetail({ attempt, body }: { attempt: AttemptView; body: string }) {
  const { t } = useTranslation();
  const {
    request_headers: headers,
    response_headers: responseHeaders,
    response_body: responseBody,
    error_message: error,
  } = attempt;
  return (
    <>
      <div>
        <h3>{t('timings.label')}</h3>
        <TimingBar timings={attempt.timings} />
      </div>
      {error && (
        <p style={{ margin: 0 }}>
          {error} <DocsLink to="webhooks#answering" label={t('deliveries.howToAnswer')} />
        </p>
      )}
      <AttemptNotes attempt={attempt} />
      <div>
        <div className={classes['row']}>
          <h3>{t('deliveries.request')}</h3>
          {headers && (
            <span style={{ fontSize: 13 }}>
              {t('deliveries.asCurl')}{' '}
              <CopyButton value={asCurl(attempt.url, headers, body)} name={t('deliveries.asCurl')} />
            </span>
          )}
        </div>
        {headers ? (
          <Snippet
            name={t('deliveries.request')}
            text={[`POST ${attempt.url}`, linesOf(headers)].join('\n')}
            wrap
          />
        ) : (
          <p style={{ margin: 0, color: 'var(--ink-soft)' }}>{t('deliveries.headersNotKept')}</p>
        )}
      </div>
      {attempt.status !== null && (
        <div>
          <h3>{t('deliveries.response', { status: attempt.status })}</h3>
          {responseHeaders && Object.keys(responseHeaders).length > 0 && (
            <Snippet name={t('deliveries.responseHeaders')} text={linesOf(responseHeaders)} wrap />
          )}
          {responseBody ? (
            <Snippet name={t('deliveries.responseBody')} text={indentJson(responseBody)} wrap />
          ) : (
            <p style={{ margin: 0, color: 'var(--ink-soft)' }}>{t('deliveries.responseEmpty')}</p>
          )}
        </div>
      )}
    </>
  );
}
