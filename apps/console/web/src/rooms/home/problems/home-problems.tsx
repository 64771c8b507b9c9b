import { IconEye } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useOpenProblems } from '../../../data/problems.ts';
import { shownMode } from '../../../app/mode.ts';
import { useSession } from '../../../app/session-context.ts';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { TextLink } from '../../../ui/links.tsx';
import { Section } from '../../../ui/section.tsx';
import { AllWell } from './all-well.tsx';
import { OnlyLive } from './only-live.tsx';
import { ProblemList } from './problem-list.tsx';
import classes from './problems.module.css';

/** Problems on Home. The page of problems has all of them. */
const shownOnHome = 5;

/** The open problems, or since when there is none. */
export function HomeProblems() {
  return shownMode() === 'test' ? (
    <p className={classes['well']}>
      <IconEye size={17} aria-hidden /> <OnlyLive />
    </p>
  ) : (
    <OfLiveSide />
  );
}

function OfLiveSide() {
  const { t } = useTranslation();
  const { open_problems: count } = useSession().merchant;
  const { rows, error, retry } = useOpenProblems();
  if (!rows) return error && <ErrorNotice error={error} retry={retry} />;
  if (rows.length === 0) return <AllWell />;
  const title = t('problems.open', { count: Math.max(count, rows.length) });
  return (
    <Section title={title} actions={<TextLink to="/problems">{t('problems.all')}</TextLink>} flush>
      <ProblemList problems={rows.slice(0, shownOnHome)} label={title} />
    </Section>
  );
}
