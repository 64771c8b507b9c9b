import { useTranslation } from 'react-i18next';
import { useChangeRole, useRemoveTeamMember } from '../../api/team.ts';
import type { TeamMember } from '../../api/types.ts';
import { useSession } from '../../app/session-context.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DataList } from '../../parts/data-list.tsx';
import { DateTime } from '../../parts/date-time.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { notify } from '../../parts/notify.ts';
import { Section } from '../../parts/section.tsx';
import { RoleSelect } from './role-select.tsx';

/** The users of a merchant, their roles, and the way to take them out. */
export function TeamMembers({ members }: { members: TeamMember[] }) {
  const { t } = useTranslation();
  const { user } = useSession();
  const change = useChangeRole();
  const remove = useRemoveTeamMember();
  return (
    <Section title={t('team.members')} flush>
      {change.error && (
        <div style={{ padding: '0 20px 12px' }}>
          <ErrorNotice error={change.error} />
        </div>
      )}
      <DataList
        caption={t('team.members')}
        rows={members}
        keyOf={({ user_id: id }) => id}
        empty={null}
        columns={[
          {
            header: t('fields.email'),
            cell: ({ email, user_id: id }) => (
              <span>
                {email}{' '}
                {id === user.id && <span style={{ color: 'var(--ink-soft)' }}>({t('team.you')})</span>}
              </span>
            ),
          },
          {
            header: t('team.role'),
            cell: ({ email, role, user_id: userId }) => (
              <RoleSelect
                aria-label={t('team.roleOf', { email })}
                value={role}
                onRole={(next) =>
                  change.mutate(
                    { userId, role: next, shown: role },
                    { onSuccess: () => notify(t('common.saved')) },
                  )
                }
              />
            ),
          },
          { header: t('team.joined'), cell: ({ joined_at: at }) => <DateTime at={at} /> },
          {
            header: '',
            end: true,
            cell: ({ email, user_id: id }) => (
              <ConfirmButton
                label={t('team.remove')}
                title={t('team.removeTitle', { email })}
                text={t('team.removeText')}
                act={t('team.remove')}
                danger
                run={() => remove.mutateAsync(id).then(() => notify(t('team.removed')))}
              />
            ),
          },
        ]}
      />
    </Section>
  );
}
