import { Button, Group } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MemberView } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import { useRight } from '../../../app/session-context.ts';
import { DateTime } from '../../../ui/date-time.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import { Section } from '../../../ui/section.tsx';
import { TextLink } from '../../../ui/links.tsx';
import { MoveButton } from '../referrals/move-button.tsx';
import { useFormat } from '../../../ui/use-format.ts';

const MergeDialog = lazy(async () => ({ default: (await import('./merge-dialog.tsx')).MergeDialog }));

function MergeButton({ memberId }: { memberId: string }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        {t('members.merge')}
      </Button>
      <Suspense>{isOpen && <MergeDialog memberId={memberId} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

/** A member's referral code, share link and referrer. */
export function MemberFacts({ member }: { member: MemberView }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const canEdit = useRight('correct');
  const { referrer } = member;
  return (
    <Section
      title={t('members.about')}
      actions={
        canEdit && (
          <Group gap="xs">
            <MoveButton
              label={t(referrer ? 'referrer.change.action' : 'referrer.set.action')}
              target={{ memberId: member.member_id, isLinked: referrer !== null }}
            />
            <MergeButton memberId={member.member_id} />
          </Group>
        )
      }
    >
      <Facts
        facts={[
          [
            t('members.code'),
            member.code === null ? (
              t('members.noCode')
            ) : (
              <Identifier value={member.code} name={t('members.code')} />
            ),
          ],
          [
            t('members.link'),
            member.code === null ? undefined : member.link ? (
              <Identifier value={member.link} name={t('members.link')} wrap />
            ) : (
              <span>
                {t('members.noLink')} <TextLink to="/credentials#linking">{t('members.setLanding')}</TextLink>
              </span>
            ),
          ],
          [
            t('members.referrer'),
            referrer && (
              <Identifier
                value={referrer.referrer_member_id}
                name={t('members.referrer')}
                to={pathOf.member(referrer.referrer_member_id)}
              />
            ),
          ],
          [t('referrals.linked'), referrer && <DateTime at={referrer.linked_at} />],
          [t('members.referees'), number(member.referees_total)],
          [t('members.since'), member.created_at === null ? undefined : <DateTime at={member.created_at} />],
        ]}
      />
    </Section>
  );
}
