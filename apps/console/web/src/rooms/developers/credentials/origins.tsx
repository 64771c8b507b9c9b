import { Button, Code, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import type { OriginsView } from '../../../data/types.ts';
import { usePermissions } from '../../../app/session-context.ts';
import { DataList } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { formErrors } from '../../../data/form-errors.ts';
import { notify } from '../../../ui/notifications.ts';
import { Section } from '../../../ui/section.tsx';
import { Snippet } from '../../../ui/snippet.tsx';

/** The verified origins of the merchant, and the form to verify another one. */
export function Origins({ origins }: { origins: OriginsView }) {
  const { t } = useTranslation();
  const { canEdit } = usePermissions();
  const [origin, setOrigin] = useState('');
  const verify = useSend('POST /credentials/origins');
  const problem = verify.error ? formErrors(verify.error)['origin'] : undefined;
  const submit = () =>
    verify.mutate(
      { origin: origin.trim() },
      {
        onSuccess: () => {
          setOrigin('');
          notify(t('credentials.originVerified'));
        },
      },
    );
  return (
    <Section title={t('credentials.verifiedOrigins')} lead={t('credentials.verifiedOriginsLead')}>
      <Stack gap="md">
        <DataList
          caption={t('credentials.verifiedOrigins')}
          rows={origins.verified}
          keyOf={(row) => row.origin}
          columns={[
            { header: t('credentials.origin'), cell: (row) => <Code>{row.origin}</Code> },
            { header: t('credentials.proof'), cell: ({ proof }) => t(`credentials.proofs.${proof}`) },
            {
              header: t('credentials.verifiedAt'),
              cell: ({ verified_at: at }) => <DateTime at={at} />,
            },
          ]}
          empty={<EmptyState title={t('credentials.noOrigins')} />}
        />
        {canEdit && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              submit();
            }}
            noValidate
          >
            <Stack gap="xs" maw={560}>
              <p style={{ margin: 0 }}>{t('credentials.proofSteps', { path: origins.proof_path })}</p>
              <Snippet name={t('credentials.proofFile')} text={origins.proof_line} />
              {!problem && <ErrorNotice error={verify.error} />}
              <Group align="flex-end" gap="xs" wrap="wrap">
                <TextInput
                  label={t('credentials.origin')}
                  placeholder="https://shop.example.com"
                  type="url"
                  value={origin}
                  error={problem}
                  onChange={(event) => setOrigin(event.currentTarget.value)}
                  style={{ flex: '1 1 260px' }}
                />
                <Button type="submit" variant="default" loading={verify.isPending} disabled={!origin.trim()}>
                  {t('credentials.verifyOrigin')}
                </Button>
              </Group>
            </Stack>
          </form>
        )}
      </Stack>
    </Section>
  );
}
