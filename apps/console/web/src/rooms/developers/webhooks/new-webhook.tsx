import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useSend } from '../../../data/use-send.ts';
import { pathOf } from '../../../app/paths.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { notify } from '../../../ui/notifications.ts';
import { leaveNow } from '../../../ui/unsaved-changes.ts';
import { useChangeForm } from '../../../ui/use-change-form.ts';
import { useFormRules } from '../../../ui/use-form-rules.ts';
import { WebhookFields } from './webhook-fields.tsx';

/** Registers a webhook. */
export function NewWebhook({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const create = useSend('POST /webhooks');
  const [, navigate] = useLocation();
  const { form, isUnsaved, submit } = useChangeForm({
    initialValues: { name: '', url: '', event_types: ['reward.issue'] },
    validate: {
      url: rules.url,
      event_types: (types) => (types.length === 0 ? t('webhooks.noTypes') : null),
    },
    send: ({ name, ...values }) => create.mutateAsync({ ...values, name: name.trim() || null }),
    done: ({ id }) => {
      notify(t('webhooks.added'));
      leaveNow(() => navigate(`${pathOf.webhook(id)}?part=test`));
    },
  });
  return (
    <FormDialog
      title={t('webhooks.add')}
      size="lg"
      actionLabel={t('webhooks.add')}
      submit={submit}
      isUnsaved={isUnsaved}
      onClose={onClose}
    >
      <WebhookFields
        name={form.getInputProps('name')}
        url={form.getInputProps('url')}
        types={form.getInputProps('event_types')}
      />
    </FormDialog>
  );
}
