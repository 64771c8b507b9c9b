import { Button, Group, Modal, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useSend } from '../../../data/use-send.ts';
import { pathOf } from '../../../app/paths.ts';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { formErrors } from '../../../data/form-errors.ts';
import { notify } from '../../../ui/notifications.ts';
import { leaveNow, useUnsaved } from '../../../ui/unsaved-changes.ts';
import { useFormRules } from '../../../ui/use-form-rules.ts';
import { WebhookFields } from './webhook-fields.tsx';

/** Registers a webhook. */
export function NewWebhook({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const create = useSend('POST /webhooks');
  const [, navigate] = useLocation();
  const form = useForm({
    initialValues: { url: '', event_types: ['reward.issue'] },
    validate: {
      url: rules.url,
      event_types: (types) => (types.length === 0 ? t('webhooks.noTypes') : null),
    },
  });
  useUnsaved(opened && form.isDirty());
  const save = form.onSubmit((values) =>
    create.mutate(values, {
      onSuccess: ({ id }) => {
        notify(t('webhooks.added'));
        leaveNow(() => navigate(pathOf.webhook(id)));
      },
      onError: (error) => form.setErrors(formErrors(error)),
    }),
  );
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('webhooks.add')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <form onSubmit={save} noValidate>
        <Stack gap="md">
          <ErrorNotice error={create.error} />
          <WebhookFields url={form.getInputProps('url')} types={form.getInputProps('event_types')} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {t('webhooks.add')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
