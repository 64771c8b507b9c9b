import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import type { ConsoleRole } from '../../../data/types.ts';
import { Form } from '../../../ui/form.tsx';
import { Section } from '../../../ui/section.tsx';
import { useChangeForm } from '../../../ui/use-change-form.ts';
import { useFormRules } from '../../../ui/use-form-rules.ts';
import { RoleSelect } from './role-select.tsx';

const initialValues: { email: string; role: ConsoleRole } = { email: '', role: 'developer' };

/** Invites someone by email. */
export function InviteForm() {
  const { t } = useTranslation();
  const rules = useFormRules();
  const invite = useSend('POST /team/invitations');
  const { form, submit, output } = useChangeForm({
    initialValues,
    validate: { email: rules.email },
    send: (values) => invite.mutateAsync(values),
    done: (_response, sent) => sent.reset(),
  });
  const { role } = form.values;
  return (
    <Section title={t('team.invite')} lead={t('team.inviteLead')}>
      <Form submit={submit} actionLabel={t('team.inviteAction')} maxWidth={640}>
        <div style={{ display: 'flex', flexWrap: 'wrap', gap: 12, alignItems: 'flex-start' }}>
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
        </div>
      </Form>
      <div aria-live="polite">{output && t('team.mailed', { email: output.invitation.email })}</div>
    </Section>
  );
}
