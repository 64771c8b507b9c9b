import { useTranslation } from 'react-i18next';
import { shownMode } from '../../../app/mode.ts';
import { useRead } from '../../../data/use-read.ts';
import { useRight } from '../../../app/session-context.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Page } from '../../../ui/page.tsx';
import { Section } from '../../../ui/section.tsx';
import { Invitations } from './invitations.tsx';
import { TeamMembers } from './team-members.tsx';

/** The team of the merchant. Only owners can view it. */
export function Team() {
  const { t } = useTranslation();
  const canManage = useRight('manage');
  return (
    <Page
      title={t('nav.team')}
      lead={shownMode() === 'test' ? `${t('team.lead')} ${t('testSide.shared')}` : t('team.lead')}
    >
      {canManage ? (
        <TeamLists />
      ) : (
        <Section>
          <EmptyState title={t('team.ownersOnly')} text={t('team.ownersOnlyText')} />
        </Section>
      )}
    </Page>
  );
}

function TeamLists() {
  const team = useRead('GET /team');
  return (
    <Loaded query={team}>
      {({ members, invitations }) => (
        <>
          <TeamMembers members={members} />
          <Invitations invitations={invitations} />
        </>
      )}
    </Loaded>
  );
}
