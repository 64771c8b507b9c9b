import { useTranslation } from 'react-i18next';
import type { AttemptView } from '../../api/types.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Snippet } from '../../components/snippet.tsx';
import { TimingBar } from '../../components/timing-bar.tsx';
import classes from './attempt-panel.module.css';
import { asCurl } from './as-curl.ts';
import { indented } from './indented.ts';

/** Timings, request and answer of one attempt. */
export function AttemptDetail({ attempt, body }: { attempt: AttemptView; body: string }) {
  const { t } = useTranslation();
  const { request_headers: headers, response_body: answer, error_message: error } = attempt;
  return (
    <>
      <div>
        <h3>{t('timings.label')}</h3>
        <TimingBar timings={attempt.timings} />
      </div>
      {error && <p style={{ margin: 0 }}>{error}</p>}
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
            text={[
              `POST ${attempt.url}`,
              ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
            ].join('\n')}
            wrap
          />
        ) : (
          <p style={{ margin: 0, color: 'var(--ink-soft)' }}>{t('deliveries.headersNotKept')}</p>
        )}
      </div>
      {attempt.status !== null && (
        <div>
          <h3>{t('deliveries.response', { status: attempt.status })}</h3>
          {answer ? (
            <Snippet name={t('deliveries.responseBody')} text={indented(answer)} wrap />
          ) : (
            <p style={{ margin: 0, color: 'var(--ink-soft)' }}>{t('deliveries.responseEmpty')}</p>
          )}
        </div>
      )}
    </>
  );
}
