import { Button, NumberInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { useChangeWebhook } from '../../api/webhooks.ts';
import type { WebhookView } from '../../api/types.ts';
import { useMay } from '../../app/session-context.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { formErrors } from '../../parts/form-errors.ts';
import { notify } from '../../parts/notify.ts';
import { Section } from '../../parts/section.tsx';
import { useFormRules } from '../../parts/use-form-rules.ts';
import { WebhookFields } from './webhook-fields.tsx';

/** URL, event types and how long it is retried. Deleting is the operator's. */
export function WebhookSettings({ webhook }: { webhook: WebhookView }) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const may = useMay();
  const change = useChangeWebhook(webhook.id);
  const form = useForm<{ url: string; event_types: string[]; retry_hours: number | '' }>({
    initialValues: {
      url: webhook.url,
      event_types: webhook.event_types,
      retry_hours: webhook.retry_hours ?? '',
    },
    validate: {
      url: rules.webAddress,
      event_types: (types) => (types.length === 0 ? t('webhooks.noTypes') : null),
    },
  });
  const save = form.onSubmit((values) =>
    change.mutate(
      { ...values, retry_hours: values.retry_hours === '' ? null : values.retry_hours },
      { onSuccess: () => notify(t('common.saved')), onError: (error) => form.setErrors(formErrors(error)) },
    ),
  );
  return (
    <Section title={t('webhooks.settings')} lead={t('webhooks.deleting')}>
      <form onSubmit={save} noValidate>
        <fieldset disabled={!may.write} style={{ border: 0, margin: 0, padding: 0, maxWidth: 560 }}>
          <Stack gap="md">
            <ErrorNotice error={change.error} />
            <WebhookFields url={form.getInputProps('url')} types={form.getInputProps('event_types')} />
            <NumberInput
              label={t('webhooks.retryHours')}
              description={t('webhooks.retryHoursHint')}
              placeholder="75"
              min={1}
              max={720}
              allowDecimal={false}
              maw={260}
              {...form.getInputProps('retry_hours')}
            />
            {may.write && (
              <Button type="submit" loading={change.isPending} w="fit-content">
                {t('common.save')}
              </Button>
            )}
          </Stack>
        </fieldset>
      </form>
    </Section>
  );
}
