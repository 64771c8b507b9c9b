import { Button, NumberInput, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useChangeWebhook } from '../../api/webhooks.ts';
import type { WebhookView } from '../../api/types.ts';
import { usePermissions } from '../../app/session-context.ts';
import { EditConflictNotice } from '../../components/edit-conflict-notice.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formErrors } from '../../errors/form-errors.ts';
import { notify } from '../../hooks/notifications.ts';
import { Section } from '../../components/section.tsx';
import { useFormRules } from '../../hooks/use-form-rules.ts';
import { useSavedForm } from '../../hooks/use-saved-form.ts';
import { WebhookFields } from './webhook-fields.tsx';

interface Settings {
  url: string;
  event_types: string[];
  retry_hours: number | '';
}

const settingsOf = ({ url, event_types, retry_hours }: WebhookView): Settings => ({
  url,
  event_types,
  retry_hours: retry_hours ?? '',
});

const fieldsOf = ({ retry_hours, ...others }: Settings) => ({
  ...others,
  retry_hours: retry_hours === '' ? null : retry_hours,
});

/** URL, event types and how long it is retried. Deleting is the operator's. */
export function WebhookSettings({ webhook }: { webhook: WebhookView }) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const { canEdit } = usePermissions();
  const change = useChangeWebhook(webhook.id);
  const { form, base, conflict, accept, discard } = useSavedForm(settingsOf(webhook), {
    saving: change.isPending,
    validate: {
      url: rules.url,
      event_types: (types: string[]) => (types.length === 0 ? t('webhooks.noTypes') : null),
    },
  });
  const save = form.onSubmit((values) =>
    change.mutate(
      { ...fieldsOf(values), base: fieldsOf(base) },
      {
        onSuccess: (saved) => {
          accept(settingsOf(saved));
          notify(t('common.saved'));
        },
        onError: (error) => form.setErrors(formErrors(error)),
      },
    ),
  );
  return (
    <Section title={t('webhooks.settings')} lead={t('webhooks.deleting')}>
      <form onSubmit={save} noValidate>
        <fieldset disabled={!canEdit} style={{ border: 0, margin: 0, padding: 0, maxWidth: 560 }}>
          <Stack gap="md">
            <ErrorNotice error={change.error} />
            {conflict && (
              <EditConflictNotice
                title={t('editConflict.title')}
                fields={[
                  { name: t('fields.url'), before: conflict.before.url, now: conflict.now.url },
                  {
                    name: t('webhooks.eventTypes'),
                    before: conflict.before.event_types.join(', '),
                    now: conflict.now.event_types.join(', '),
                  },
                  {
                    name: t('webhooks.retryHours'),
                    before: String(conflict.before.retry_hours),
                    now: String(conflict.now.retry_hours),
                  },
                ]}
                discard={discard}
              />
            )}
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
            {canEdit && (
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
