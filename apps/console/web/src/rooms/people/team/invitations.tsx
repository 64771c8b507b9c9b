import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import type { InvitationView } from '../../../data/types.ts';
import { ConfirmButton } from '../../../ui/confirm-button.tsx';
import { DataList } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { notify } from '../../../ui/notifications.ts';
import { Section } from '../../../ui/section.tsx';
import { InviteForm } from './invite-form.tsx';

/** Pending invitations, and the form for a new one. */
export function Invitations({ invitations }: { invitations: InvitationView[] }) {
  const { t } = useTranslation();
  const revoke = useSend('DELETE /team/invitations/:id');
  return (
    <>
      <InviteForm />
      <Section title={t('team.invitations')} flush>
        <DataList
          caption={t('team.invitations')}
          rows={invitations}
          keyOf={({ id }) => id}
          empty={<EmptyState title={t('team.noInvitations')} />}
          columns={() => [
            { header: t('fields.email'), width: 220, cell: ({ email }) => email, wraps: true },
            { header: t('team.role'), cell: ({ role }) => t(`roles.${role}`) },
            { header: t('team.invited'), cell: ({ created_at: at }) => <DateTime at={at} relative /> },
            { header: t('team.expires'), width: 120, cell: ({ expires_at: at }) => <DateTime at={at} /> },
            {
              header: '',
              end: true,
              cell: ({ id, email }) => (
                <ConfirmButton
                  label={t('team.revoke')}
                  title={t('team.revokeTitle', { email })}
                  text={t('team.revokeText')}
                  actionLabel={t('team.revoke')}
                  danger
                  run={() => revoke.mutateAsync({ id }).then(() => notify(t('team.revoked')))}
                />
              ),
            },
          ]}
        />
      </Section>
    </>
  );
}
