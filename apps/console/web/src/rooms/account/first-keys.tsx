import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Redirect } from 'wouter';
import { apiUrlOf, useSessionQuery, useSetSession } from '../../data/session.ts';
import type { SignUpResponse } from '../../data/types.ts';
import { DocsLink } from '../../ui/docs-link.tsx';
import { LinkButton } from '../../ui/links.tsx';
import { SecretField } from '../../ui/secret-field.tsx';
import { Snippet } from '../../ui/snippet.tsx';
import { environmentSnippet } from '../developers/snippets/snippets.ts';
import { basePathOf } from '../../app/mode.ts';
import { AuthLayout } from './auth-layout.tsx';
import { firstKeys, keepFirstKeys } from './first-keys-store.ts';

/** Shows the keys of a new merchant. After a reload, it links to the console. */
export function FirstKeys() {
  const [response] = useState(firstKeys);
  return response ? <NewKeys response={response} /> : <KeysNoLongerShown />;
}

/** Shows the keys of the test side, as the file of the quickstart. The secret key is shown only here. */
function NewKeys({ response }: { response: SignUpResponse }) {
  const { t } = useTranslation();
  const [stored, setStored] = useState(false);
  const setSession = useSetSession();
  useEffect(() => {
    if (stored) return undefined;
    // The browser asks for confirmation.
    const confirmLeave = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', confirmLeave);
    return () => window.removeEventListener('beforeunload', confirmLeave);
  }, [stored]);
  const goToConsole = () => {
    keepFirstKeys(undefined);
    setSession(response.session);
    location.replace(basePathOf('test'));
  };
  return (
    <AuthLayout wide title={t('firstKeys.title')} lead={t('firstKeys.lead')}>
      <Stack gap="lg">
        <div>
          <p style={{ margin: '0 0 6px', fontWeight: 560 }}>{t('firstKeys.file')}</p>
          <Snippet
            name={t('firstKeys.file')}
            text={environmentSnippet(apiUrlOf(response.session), response.first_keys)}
          />
        </div>
        <SecretField
          label={t('credentials.publicKey')}
          value={response.first_keys.public_key}
          hint={t('credentials.publicHint')}
        />
        <p style={{ margin: 0 }}>{t('firstKeys.live')}</p>
        <DocsLink to="quickstart" label={t('firstKeys.quickstart')} />
        <Checkbox
          label={t('firstKeys.stored')}
          checked={stored}
          onChange={(event) => setStored(event.currentTarget.checked)}
        />
        <Button disabled={!stored} onClick={goToConsole}>
          {t('firstKeys.goToConsole')}
        </Button>
      </Stack>
    </AuthLayout>
  );
}

function KeysNoLongerShown() {
  const { t } = useTranslation();
  const session = useSessionQuery();
  if (session.data === null) return <Redirect replace to="/sign-in" />;
  return (
    <AuthLayout title={t('firstKeys.title')}>
      <Stack gap="md">
        <p style={{ margin: 0 }}>{t('firstKeys.shownBefore')}</p>
        <Group>
          <Button component="a" href={`${basePathOf('test')}/credentials`}>
            {t('firstKeys.toCredentials')}
          </Button>
          <LinkButton to="/" variant="default">
            {t('firstKeys.goToConsole')}
          </LinkButton>
        </Group>
      </Stack>
    </AuthLayout>
  );
}
