import { Skeleton } from '@mantine/core';
import { lazy, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useCredentials } from '../../api/credentials.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { ApiKeys } from './api-keys.tsx';
import { IdentitySecret } from './identity-secret.tsx';
import { Origins } from './origins.tsx';
import { SigningKeys } from './signing-keys.tsx';
import { Snippets } from './snippets.tsx';

/** Far down the page, and its fields are large. */
const Linking = lazy(() => import('./linking.tsx').then((module) => ({ default: module.Linking })));

/** Keys of the merchant, what browsers may do with the public one, and code to paste. */
export function Credentials() {
  const { t } = useTranslation();
  const credentials = useCredentials();
  const loaded = credentials.data !== undefined;
  useEffect(() => {
    // The sections were not there yet when the page was opened with #snippets.
    if (loaded && location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [loaded]);
  return (
    <Page title={t('nav.credentials')} lead={t('credentials.lead')}>
      <Loaded query={credentials}>
        {({ api_keys: apiKeys, signing_keys: signingKeys, linking, origins }) => (
          <>
            <ApiKeys keys={apiKeys} />
            <SigningKeys keys={signingKeys} />
            <div id="snippets">
              <Snippets />
            </div>
            <div id="linking">
              <Suspense fallback={<Skeleton height={420} radius="lg" />}>
                <Linking linking={linking} />
              </Suspense>
            </div>
            <Origins origins={origins} />
            <IdentitySecret />
          </>
        )}
      </Loaded>
    </Page>
  );
}
