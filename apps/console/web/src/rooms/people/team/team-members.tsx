import { hasRight } from '@rewardhook/contract/rights';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import type { ConsoleRole, TeamMember } from '../../../data/types.ts';
import { useSession } from '../../../app/session-context.ts';
import { DataList } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { notify } from '../../../ui/notifications.ts';
import { Section } from '../../../ui/section.tsx';
import { EndAccessDialog } from './end-access-dialog.tsx';
import type { MemberWithKeys } from './end-access-dialog.tsx';
import { RoleSelect } from './role-select.tsx';

/** The team members with their roles. Owners can change roles and remove members. */
export function TeamMembers({ members }: { members: TeamMember[] }) {
  const { t } = useTranslation();
  const { user } = useSession();
  const change = useSend('PATCH /team/members/:user_id');
  const remove = useSend('DELETE /team/members/:user_id');
  const [removed, setRemoved] = useState<MemberWithKeys | null>(null);
  const [demoted, setDemoted] = useState<(MemberWithKeys & { next: ConsoleRole }) | null>(null);
  const changeRole = (of: { userId: string; role: ConsoleRole }, role: ConsoleRole, revokeKeys: boolean) =>
    change
      .mutateAsync({ user_id: of.userId, role, base: { role: of.role }, revoke_keys: revokeKeys })
      .then(() => notify(t('common.saved')));
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
        columns={() => [
          {
            header: t('fields.email'),
            width: 220,
            wraps: true,
            cell: ({ email, user_id: id }) => (
              <span>
                {email}{' '}
                {id === user.id && <span style={{ color: 'var(--ink-soft)' }}>({t('team.you')})</span>}
              </span>
            ),
          },
          {
            header: t('team.role'),
            cell: ({ email, role, user_id: userId, live_keys: keys }) => (
              <RoleSelect
                aria-label={t('team.roleOf', { email })}
                value={role}
                onRole={(next) =>
                  keys > 0 && !hasRight(next, 'integrate')
                    ? setDemoted({ userId, email, role, keys, next })
                    : void changeRole({ userId, role }, next, false).catch(() => undefined)
                }
              />
            ),
          },
          { header: t('team.joined'), width: 120, cell: ({ joined_at: at }) => <DateTime at={at} /> },
          {
            header: '',
            end: true,
            cell: ({ email, role, user_id: userId, live_keys: keys }) => (
              <Button variant="default" size="xs" onClick={() => setRemoved({ userId, email, role, keys })}>
                {t('team.remove')}
              </Button>
            ),
          },
        ]}
      />
      {removed && (
        <EndAccessDialog
          member={removed}
          onClose={() => setRemoved(null)}
          title={t('team.removeTitle', { email: removed.email })}
          text={t('team.removeText')}
          actionLabel={t('team.remove')}
          run={({ userId }, revokeKeys) =>
            remove
              .mutateAsync({ user_id: userId, revoke_keys: revokeKeys })
              .then(() => notify(t('team.removed')))
          }
        />
      )}
      {demoted && (
        <EndAccessDialog
          member={demoted}
          onClose={() => setDemoted(null)}
          title={t('team.demoteTitle', { email: demoted.email, role: t(`roles.${demoted.next}`) })}
          text={t('team.demoteText')}
          actionLabel={t('team.demote')}
          run={(member, revokeKeys) => changeRole(member, demoted.next, revokeKeys)}
        />
      )}
    </Section>
  );
}
