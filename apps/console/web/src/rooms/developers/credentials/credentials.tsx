import { Skeleton } from '@mantine/core';
import { lazy, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useRead } from '../../../data/use-read.ts';
import { ProblemNotices } from '../../../app/problem-notices.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Page } from '../../../ui/page.tsx';
import { ApiKeys } from './api-keys.tsx';
import { IdentitySecret } from './identity-secret.tsx';
import { Origins } from './origins.tsx';
import { SigningKeys } from './signing-keys.tsx';
import { Snippets } from './snippets.tsx';

/** A chunk of its own: it is far down the page, and its fields are large. */
const Linking = lazy(() => import('./linking.tsx').then((module) => ({ default: module.Linking })));

/** Keys of the merchant, where browsers may use the public key, and code examples. */
export function Credentials() {
  const { t } = useTranslation();
  const credentials = useRead('GET /credentials', {}, { refetchInterval: 15_000 });
  const loaded = credentials.data !== undefined;
  useEffect(() => {
    // The browser could not scroll to the section of the hash, because it had not rendered yet.
    if (loaded && location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [loaded]);
  return (
    <Page docs="api#base-url-keys-and-variables" title={t('nav.credentials')} lead={t('credentials.lead')}>
      <ProblemNotices about={{ kind: 'signing_key_expiring' }} />
      <Loaded query={credentials}>
        {({
          api_keys: apiKeys,
          signing_keys: signingKeys,
          former_identity_secrets: former,
          linking,
          origins,
        }) => (
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
            <IdentitySecret former={former} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
