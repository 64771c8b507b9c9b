import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import type { ConsoleRole } from '../../../data/types.ts';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { formErrors } from '../../../data/form-errors.ts';
import { Section } from '../../../ui/section.tsx';
import { useUnsaved } from '../../../ui/unsaved-changes.ts';
import { useFormRules } from '../../../ui/use-form-rules.ts';
import { RoleSelect } from './role-select.tsx';

/** Invites someone by email. */
export function InviteForm() {
  const { t } = useTranslation();
  const rules = useFormRules();
  const invite = useSend('POST /team/invitations');
  const form = useForm({
    initialValues: { email: '', role: 'developer' as ConsoleRole },
    validate: { email: rules.email },
  });
  useUnsaved(form.isDirty());
  const submit = form.onSubmit((values) =>
    invite.mutate(values, {
      onSuccess: () => form.reset(),
      onError: (error) => form.setErrors(formErrors(error)),
    }),
  );
  const { role } = form.values;
  return (
    <Section title={t('team.invite')} lead={t('team.inviteLead')}>
      <Stack gap="md">
        <ErrorNotice error={invite.error} />
        <form
          onSubmit={submit}
          noValidate
          style={{ display: 'flex', flexWrap: 'wrap', gap: 12, alignItems: 'flex-start' }}
        >
          <TextInput
            type="email"
            label={t('fields.email')}
            required
            style={{ flex: '1 1 240px' }}
            {...form.getInputProps('email')}
          />
          <RoleSelect
            label={t('team.role')}
            description={t(`team.roleHints.${role}`)}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={role}
            onRole={(next) => form.setFieldValue('role', next)}
            style={{ flex: '1 1 200px' }}
          />
          <Button type="submit" loading={invite.isPending} mt={22}>
            {t('team.inviteAction')}
          </Button>
        </form>
        <div aria-live="polite">
          {invite.data && t('team.mailed', { email: invite.data.invitation.email })}
        </div>
      </Stack>
    </Section>
  );
}
