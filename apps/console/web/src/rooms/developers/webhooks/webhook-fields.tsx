import { Checkbox, Stack, TextInput } from '@mantine/core';
import type { CheckboxGroupProps, TextInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { webhookNameLength } from '@rewardhook/contract';
import { useRead } from '../../../data/use-read.ts';

/** The fields of a webhook: URL, name and event types. */
export function WebhookFields({
  name,
  url,
  types,
}: {
  name: TextInputProps;
  url: TextInputProps;
  types: Omit<CheckboxGroupProps, 'children'>;
}) {
  const { t } = useTranslation();
  const eventTypes = useRead('GET /webhooks/event-types', {}, { staleTime: Infinity });
  return (
    <>
      <TextInput
        label={t('fields.url')}
        description={t('webhooks.urlHint')}
        placeholder="https://shop.example.com/webhooks/rewardhook"
        type="url"
        required
        data-autofocus
        {...url}
      />
      <TextInput
        label={t('fields.name')}
        description={t('webhooks.nameHint')}
        maxLength={webhookNameLength}
        {...name}
      />
      <Checkbox.Group label={t('webhooks.eventTypes')} required {...types}>
        <Stack gap="xs" mt={6}>
          {(eventTypes.data ?? ['reward.issue']).map((type) => (
            <Checkbox
              key={type}
              value={type}
              label={<code>{type}</code>}
              description={t(`eventTypes.${type.replace('.', '_') as 'reward_issue'}`, { defaultValue: '' })}
            />
          ))}
        </Stack>
      </Checkbox.Group>
    </>
  );
}
