import { Checkbox, Stack, TextInput } from '@mantine/core';
import type { CheckboxGroupProps, TextInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useRead } from '../../../data/use-read.ts';

/** The fields of a webhook: URL and event types. */
export function WebhookFields({
  url,
  types,
}: {
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
