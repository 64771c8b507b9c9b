import { NumberInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import type { WebhookView } from '../../../data/types.ts';
import { useRight } from '../../../app/session-context.ts';
import { Section } from '../../../ui/section.tsx';
import { SettingsForm } from '../../../ui/settings-form.tsx';
import { useFormRules } from '../../../ui/use-form-rules.ts';
import { WebhookFields } from './webhook-fields.tsx';

interface Settings {
  name: string;
  url: string;
  event_types: string[];
  retry_hours: number | '';
}

const toValues = ({ name, url, event_types, retry_hours }: WebhookView): Settings => ({
  name: name ?? '',
  url,
  event_types,
  retry_hours: retry_hours ?? '',
});

const toRequest = ({ name, retry_hours, ...others }: Settings) => ({
  ...others,
  name: name.trim() || null,
  retry_hours: retry_hours === '' ? null : retry_hours,
});

/** URL, event types and retry period of a webhook. Only the operator can delete it. */
export function WebhookSettings({ webhook }: { webhook: WebhookView }) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const canEdit = useRight('integrate');
  const change = useSend('PATCH /webhooks/:id', { id: webhook.id });
  return (
    <Section title={t('webhooks.settings')} lead={t('webhooks.deleting')}>
      <SettingsForm
        stored={webhook}
        toValues={toValues}
        toRequest={toRequest}
        change={change}
        validate={{
          url: rules.url,
          event_types: (types: string[]) => (types.length === 0 ? t('webhooks.noTypes') : null),
        }}
        labels={{
          name: t('fields.name'),
          url: t('fields.url'),
          event_types: t('webhooks.eventTypes'),
          retry_hours: t('webhooks.retryHours'),
        }}
        editable={canEdit}
        maxWidth={560}
      >
        {(form) => (
          <>
            <WebhookFields
              name={form.getInputProps('name')}
              url={form.getInputProps('url')}
              types={form.getInputProps('event_types')}
            />
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
          </>
        )}
      </SettingsForm>
    </Section>
  );
}
