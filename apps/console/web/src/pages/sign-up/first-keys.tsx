import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Redirect, useLocation } from 'wouter';
import { apiUrlOf } from '../../api/session.ts';
import { useSetSession, useSessionQuery } from '../../api/session.ts';
import type { SignUpResponse } from '../../api/types.ts';
import { LinkButton } from '../../components/links.tsx';
import { SecretField } from '../../components/secret-field.tsx';
import { Snippet } from '../../components/snippet.tsx';
import { syncWithCurl } from '../../snippets/sync-snippets.ts';
import { requestHeadingFocus } from '../../hooks/heading-focus.ts';
import { AuthLayout } from '../../auth/auth-layout.tsx';
import { firstKeys, keepFirstKeys } from './first-keys-store.ts';

/** Shows the keys of a new merchant; after a reload it says where to go on. */
export function FirstKeys() {
  const [answer] = useState(firstKeys);
  return answer ? <ShownOnce answer={answer} /> : <ShownBefore />;
}

/** Shows the keys, the secret one for the only time, and a first call to paste. */
function ShownOnce({ answer }: { answer: SignUpResponse }) {
  const { t } = useTranslation();
  const [stored, setStored] = useState(false);
  const enter = useSetSession();
  const [, navigate] = useLocation();
  useEffect(() => {
    if (stored) return undefined;
    // The browser asks whether to leave.
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [stored]);
  const goOn = () => {
    keepFirstKeys(undefined);
    enter(answer.session);
    requestHeadingFocus();
    navigate('/', { replace: true });
  };
  return (
    <AuthLayout wide title={t('firstKeys.title')} lead={t('firstKeys.lead')}>
      <Stack gap="lg">
        <SecretField
          label={t('credentials.secretKey')}
          value={answer.secret_key}
          hint={t('firstKeys.once')}
        />
        <SecretField
          label={t('credentials.publicKey')}
          value={answer.public_key}
          hint={t('credentials.publicHint')}
        />
        <div>
          <p style={{ margin: '0 0 6px', fontWeight: 560 }}>{t('firstKeys.firstCall')}</p>
          <Snippet
            name={t('firstKeys.firstCall')}
            text={syncWithCurl(apiUrlOf(answer.session), answer.secret_key)}
          />
        </div>
        <Checkbox
          label={t('firstKeys.stored')}
          checked={stored}
          onChange={(event) => setStored(event.currentTarget.checked)}
        />
        <Button disabled={!stored} onClick={goOn}>
          {t('firstKeys.goToConsole')}
        </Button>
      </Stack>
    </AuthLayout>
  );
}

function ShownBefore() {
  const { t } = useTranslation();
  const session = useSessionQuery();
  if (session.data === null) return <Redirect replace to="/sign-in" />;
  return (
    <AuthLayout title={t('firstKeys.title')}>
      <Stack gap="md">
        <p style={{ margin: 0 }}>{t('firstKeys.shownBefore')}</p>
        <Group>
          <LinkButton to="/credentials">{t('firstKeys.toCredentials')}</LinkButton>
          <LinkButton to="/" variant="default">
            {t('firstKeys.goToConsole')}
          </LinkButton>
        </Group>
      </Stack>
    </AuthLayout>
  );
}
