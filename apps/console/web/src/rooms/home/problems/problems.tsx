import { IconEye } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useOpenProblems } from '../../../data/problems.ts';
import { useList } from '../../../data/use-read.ts';
import type { ProblemView } from '../../../data/types.ts';
import { shownMode } from '../../../app/mode.ts';
import { useSession } from '../../../app/session-context.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { ListSkeleton } from '../../../ui/list-skeleton.tsx';
import { MoreRows } from '../../../ui/paged-list.tsx';
import { Page } from '../../../ui/page.tsx';
import { Section } from '../../../ui/section.tsx';
import { AllWell } from './all-well.tsx';
import { OnlyLive } from './only-live.tsx';
import { ProblemList } from './problem-list.tsx';
import classes from './problems.module.css';

/** The problems of the shop: the open ones, then the resolved ones by day. */
export function Problems() {
  const { t } = useTranslation();
  return (
    <Page title={t('nav.problems')} lead={t('problems.lead')}>
      {shownMode() === 'test' ? (
        <Section>
          <EmptyState
            icon={<IconEye size={22} stroke={1.6} />}
            title={t('testSide.modes.test')}
            text={<OnlyLive />}
          />
        </Section>
      ) : (
        <OfLiveSide />
      )}
    </Page>
  );
}

function OfLiveSide() {
  const { t } = useTranslation();
  const open = useOpenProblems();
  const resolved = useList('GET /problems', { resolved: true }, 60_000);
  const failed = [open, resolved].find(({ rows, error }) => !rows && error);
  if (failed) return <ErrorNotice error={failed.error} retry={failed.retry} />;
  if (!open.rows || !resolved.rows) return <ListSkeleton columns={1} />;
  const title = t('problems.open', { count: open.rows.length });
  return (
    <>
      {open.rows.length === 0 ? (
        <AllWell />
      ) : (
        <Section title={title} flush>
          <ProblemList problems={open.rows} label={title} />
          <MoreRows pages={open} />
        </Section>
      )}
      <Section title={t('problems.resolved')} lead={t('problems.resolvedLead')} flush>
        {resolved.rows.length === 0 && <EmptyState title={t('problems.noneResolved')} />}
        <Days problems={resolved.rows} />
        <MoreRows pages={resolved} />
      </Section>
    </>
  );
}

/** Resolved problems under the day on which they were resolved, in the time zone of the shop. */
function Days({ problems }: { problems: ProblemView[] }) {
  const { i18n } = useTranslation();
  const { timezone } = useSession().merchant;
  const format = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'full', timeZone: timezone });
  const days = new Map<string, ProblemView[]>();
  for (const problem of problems) {
    const day = format.format(new Date(problem.resolved_at ?? problem.last_seen_at));
    days.set(day, [...(days.get(day) ?? []), problem]);
  }
  return [...days].map(([day, ofDay]) => (
    <div key={day}>
      <h3 className={classes['day']}>{day}</h3>
      <ProblemList problems={ofDay} label={day} />
    </div>
  ));
}
