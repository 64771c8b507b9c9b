import { Code, Stack, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import type { OriginsView } from '../../../data/types.ts';
import { useRight } from '../../../app/session-context.ts';
import { DataList } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Form } from '../../../ui/form.tsx';
import { formErrors } from '../../../data/form-errors.ts';
import { notify } from '../../../ui/notifications.ts';
import { Section } from '../../../ui/section.tsx';
import { Snippet } from '../../../ui/snippet.tsx';
import { useChangeForm } from '../../../ui/use-change-form.ts';
import { useFormRules } from '../../../ui/use-form-rules.ts';

/** The verified origins of the merchant, and the form to verify another one. */
export function Origins({ origins }: { origins: OriginsView }) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const canEdit = useRight('integrate');
  const verify = useSend('POST /credentials/origins');
  const { form, submit } = useChangeForm({
    initialValues: { origin: '' },
    validate: { origin: rules.url },
    send: ({ origin }) => verify.mutateAsync({ origin: origin.trim() }),
    done: (_verified, sent) => {
      sent.reset();
      notify(t('credentials.originVerified'));
    },
    errorsAtFields: (error) => {
      const { origin } = formErrors(error);
      return origin === undefined ? undefined : { origin };
    },
  });
  return (
    <Section title={t('credentials.verifiedOrigins')} lead={t('credentials.verifiedOriginsLead')}>
      <Stack gap="md">
        <DataList
          caption={t('credentials.verifiedOrigins')}
          rows={origins.verified}
          keyOf={(row) => row.origin}
          columns={() => [
            {
              header: t('credentials.origin'),
              width: 260,
              cell: (row) => <Code>{row.origin}</Code>,
              wraps: true,
            },
            {
              header: t('credentials.proof'),
              width: 160,
              cell: ({ proof }) => t(`credentials.proofs.${proof}`),
              wraps: true,
            },
            {
              header: t('credentials.verifiedAt'),
              width: 192,
              cell: ({ verified_at: at }) => <DateTime at={at} />,
            },
          ]}
          empty={<EmptyState title={t('credentials.noOrigins')} />}
        />
        {canEdit && (
          <Form submit={submit} actionLabel={t('credentials.verifyOrigin')} maxWidth={560}>
            <p style={{ margin: 0 }}>{t('credentials.proofSteps', { path: origins.proof_path })}</p>
            <Snippet name={t('credentials.proofFile')} text={origins.proof_line} />
            <TextInput
              label={t('credentials.origin')}
              placeholder="https://shop.example.com"
              type="url"
              {...form.getInputProps('origin')}
            />
          </Form>
        )}
      </Stack>
    </Section>
  );
}
