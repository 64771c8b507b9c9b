import { Alert, Button, Code } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../data/api-error.ts';
import { useErrorSentence } from '../data/use-error-sentence.ts';

interface ErrorNoticeProps {
  error: Error | null;
  retry?: () => void;
}

/** What went wrong and what to do, with the request ID for support. Renders nothing without an error. */
export function ErrorNotice({ error, retry }: ErrorNoticeProps) {
  const { t } = useTranslation();
  const sentence = useErrorSentence();
  if (!error) return null;
  const requestId = error instanceof ApiError ? error.requestId : '';
  const sessionEnded = error instanceof ApiError && error.code === 'login_required';
  return (
    <Alert
      role="alert"
      variant="default"
      icon={<IconAlertTriangle aria-hidden color="var(--tone-bad)" />}
      styles={{ root: { borderColor: 'var(--tone-bad)', background: 'var(--tone-bad-soft)' } }}
    >
      <div>{sentence(error)}</div>
      {requestId && (
        <div style={{ marginTop: 4, fontSize: 12, color: 'var(--ink-soft)' }}>
          {t('errors.requestId')} <Code style={{ background: 'none', color: 'inherit' }}>{requestId}</Code>
        </div>
      )}
      {sessionEnded && (
        // In a new tab: the input on this page stays, and can be submitted again afterwards.
        <Button component="a" href="/sign-in" target="_blank" size="xs" variant="default" mt="xs">
          {t('errors.signInInNewTab')}
        </Button>
      )}
      {retry && (
        <Button size="xs" variant="default" mt="xs" onClick={retry}>
          {t('common.tryAgain')}
        </Button>
      )}
    </Alert>
  );
}
