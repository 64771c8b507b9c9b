import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { ProblemView } from '../../../data/types.ts';
import { DateTime } from '../../../ui/date-time.tsx';
import { TextLink } from '../../../ui/links.tsx';
import { useFormat } from '../../../ui/use-format.ts';
import { problemLink } from './problem-link.ts';
import classes from './problem-list.module.css';
import { useLastError } from './use-last-error.ts';

/** Problems, each with what it concerns, since when, how much, and what to do. */
export function ProblemList({ problems, label }: { problems: ProblemView[]; label: string }) {
  return (
    <ul className={classes['list']} aria-label={label}>
      {problems.map((problem) => (
        <Problem key={problem.id} problem={problem} />
      ))}
    </ul>
  );
}

function Problem({ problem }: { problem: ProblemView }) {
  const { t } = useTranslation();
  const { kind, resolved_at: resolvedAt, webhook_name: webhook, webhook_host: host } = problem;
  const showError = useLastError();
  const showNumber = useNumber();
  const { number } = useFormat();
  const facts: [name: string, value: ReactNode][] = [
    [t('problems.since'), <DateTime at={problem.opened_at} />],
    [t('problems.until'), resolvedAt && <DateTime at={resolvedAt} />],
    [t(`problems.kinds.${kind}.counts`), showNumber(problem.number)],
    [t('problems.failures'), problem.failures !== null && number(problem.failures)],
    [t('problems.oldest'), problem.oldest_at && <DateTime at={problem.oldest_at} relative />],
    [t('problems.lastError'), problem.last_error && showError(problem.last_error)],
    [
      t('problems.openings'),
      problem.openings > 1 && t('problems.openingsCount', { count: problem.openings }),
    ],
  ];
  const Icon = resolvedAt ? IconCircleCheck : IconAlertTriangle;
  return (
    <li className={`${classes['problem']} ${resolvedAt ? classes['resolved'] : ''}`}>
      <Icon size={18} aria-hidden />
      <div className={classes['text']}>
        <p className={classes['title']}>
          {t(`problems.kinds.${kind}.title`)}
          {host !== null && (
            <span className={classes['host']}>: {webhook === null ? host : `${webhook} (${host})`}</span>
          )}
        </p>
        {!resolvedAt && <p className={classes['advice']}>{t(`problems.kinds.${kind}.advice`)}</p>}
        <dl className={classes['facts']}>
          {facts.map(
            ([name, value]) =>
              value && (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ),
          )}
        </dl>
        {!resolvedAt && <Next problem={problem} />}
      </div>
    </li>
  );
}

/** Leads to where the problem is fixed, unless that is the page that shows it. */
function Next({ problem }: { problem: ProblemView }) {
  const { t } = useTranslation();
  const [location] = useLocation();
  const link = problemLink(problem);
  if (link === null || link.to === location) return null;
  return <TextLink to={link.to}>{t(`problems.links.${link.text}`)}</TextLink>;
}

/** At most this many rows are counted. */
const counted = 10_000;

function useNumber(): (value: number) => string {
  const { t } = useTranslation();
  const { number } = useFormat();
  return (value) => (value > counted ? t('problems.moreThan', { number: number(counted) }) : number(value));
}
