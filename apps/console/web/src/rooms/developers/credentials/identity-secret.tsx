import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CredentialsView } from '../../../data/types.ts';
import { useRight } from '../../../app/session-context.ts';
import { DateTime } from '../../../ui/date-time.tsx';
import { Section } from '../../../ui/section.tsx';
import { RevealedSecret } from './revealed-secret.tsx';

/** A chunk of its own: the dialog is rarely opened, and its field is large. */
const ReplaceIdentitySecret = lazy(() =>
  import('./replace-identity-secret.tsx').then((module) => ({ default: module.ReplaceIdentitySecret })),
);

/** The secret from which a server creates the `userHash` of a boot call. */
export function IdentitySecret({ former }: { former: CredentialsView['former_identity_secrets'] }) {
  const { t } = useTranslation();
  const canEdit = useRight('integrate');
  const [opened, dialog] = useDisclosure(false);
  // A secret that was revealed before it was replaced is not shown any longer.
  const [replacements, setReplacements] = useState(0);
  return (
    <Section
      title={t('credentials.identitySecret')}
      lead={t('credentials.identitySecretLead')}
      actions={
        canEdit && (
          <Button size="xs" variant="default" onClick={dialog.open}>
            {t('credentials.replaceSecret')}
          </Button>
        )
      }
    >
      <Stack gap="xs">
        {canEdit ? (
          <RevealedSecret
            key={replacements}
            secretOf={{ route: 'POST /credentials/identity-secret/reveal', input: {} }}
            name={t('credentials.identitySecret')}
          />
        ) : (
          t('credentials.secretsHidden')
        )}
        {former.map(({ id, expires_at: at }) => (
          <Text key={id} c="var(--ink-soft)">
            {t('credentials.formerSecret')} <DateTime at={at} />
          </Text>
        ))}
      </Stack>
      <Suspense fallback={null}>
        {opened && (
          <ReplaceIdentitySecret
            onClose={dialog.close}
            onReplaced={() => setReplacements((number) => number + 1)}
          />
        )}
      </Suspense>
    </Section>
  );
}
