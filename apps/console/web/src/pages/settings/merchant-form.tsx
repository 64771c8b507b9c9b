import { Button, Stack, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useChangeMerchant } from '../../api/session.ts';
import type { SessionView } from '../../api/types.ts';
import { usePermissions, useSession } from '../../app/session-context.ts';
import { EditConflictNotice } from '../../components/edit-conflict-notice.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formErrors } from '../../errors/form-errors.ts';
import { notify } from '../../hooks/notifications.ts';
import { Section } from '../../components/section.tsx';
import { TimeZoneInput } from '../../components/time-zone-input.tsx';
import { useFormRules } from '../../hooks/use-form-rules.ts';
import { useSavedForm } from '../../hooks/use-saved-form.ts';
import { PendingContact } from './pending-contact.tsx';

const settingsOf = (merchant: SessionView['merchant']) => ({
  name: merchant.name,
  timezone: merchant.timezone,
  contact_email: merchant.contact_email_pending ?? merchant.contact_email ?? '',
});

const fieldsOf = ({ name, timezone, contact_email }: ReturnType<typeof settingsOf>) => ({
  name: name.trim(),
  timezone,
  contact_email: contact_email || null,
});

/** What is known of the merchant; owners change it. */
export function MerchantForm() {
  const { t } = useTranslation();
  const rules = useFormRules();
  const { merchant } = useSession();
  const { canManage } = usePermissions();
  const change = useChangeMerchant();
  const { form, base, conflict, accept, discard } = useSavedForm(settingsOf(merchant), {
    saving: change.isPending,
    validate: { name: rules.required, contact_email: (email) => (email ? rules.email(email) : null) },
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
    <Section title={t('settings.merchant')} {...(canManage ? {} : { lead: t('settings.ownersOnly') })}>
      <form onSubmit={save} noValidate>
        <fieldset disabled={!canManage} style={{ border: 0, margin: 0, padding: 0, maxWidth: 480 }}>
          <Stack gap="md">
            <ErrorNotice error={change.error} />
            {conflict && (
              <EditConflictNotice
                title={t('editConflict.title')}
                fields={(
                  [
                    ['name', t('fields.merchantName')],
                    ['timezone', t('fields.timezone')],
                    ['contact_email', t('settings.contact')],
                  ] as const
                ).map(([field, name]) => ({
                  name,
                  before: conflict.before[field],
                  now: conflict.now[field],
                }))}
                discard={discard}
              />
            )}
            <TextInput label={t('fields.merchantName')} required {...form.getInputProps('name')} />
            <TimeZoneInput disabled={!canManage} {...form.getInputProps('timezone')} />
            <TextInput
              label={t('settings.contact')}
              description={t('settings.contactHint')}
              type="email"
              {...form.getInputProps('contact_email')}
            />
            {merchant.contact_email_pending !== null && (
              <PendingContact pending={merchant.contact_email_pending} current={merchant.contact_email} />
            )}
            {canManage && (
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
