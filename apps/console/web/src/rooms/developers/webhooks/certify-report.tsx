import { checkGroups, checks, fillText } from '@rewardhook/certify';
import type { CheckId, CheckResult, CheckStatus, FindingCode, Unseen } from '@rewardhook/certify';
import {
  IconAlertTriangleFilled,
  IconCircleCheckFilled,
  IconCircleXFilled,
  IconCircleMinus,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { CertifyReport as Report } from '../../../data/types.ts';
import { Badge } from '../../../ui/badge.tsx';
import type { Tone } from '../../../ui/badge.tsx';
import { en } from './certify-texts/en.ts';
import { ko } from './certify-texts/ko.ts';
import type { CertifyTexts } from './certify-texts/texts.ts';
import classes from './certify-report.module.css';

const languages = new Map<string, CertifyTexts>(Object.entries({ en, ko }));
const outcomeTones: Record<Report['outcome'], Tone> = {
  passed: 'good',
  warnings: 'warn',
  not_observed: 'info',
  failed: 'bad',
};
const icons = {
  passed: IconCircleCheckFilled,
  warning: IconAlertTriangleFilled,
  failed: IconCircleXFilled,
  not_run: IconCircleMinus,
};
const order: CheckStatus[] = ['failed', 'warning', 'not_run', 'passed'];

/** What a receiver did in each check. Those that are not passed are open and say how to fix it. */
export function CertifyReport({ report }: { report: Report }) {
  const { t, i18n } = useTranslation();
  const texts = languages.get(i18n.language) ?? en;
  const { outcome, counts, checks: results } = report;
  const [first] = results.filter(({ status }) => status === 'failed');
  return (
    <div className={classes['report']}>
      <div className={classes['summary']}>
        <Badge tone={outcomeTones[outcome]}>{t(`webhooks.certifyOutcomes.${outcome}`)}</Badge>
        {order
          .filter((status) => counts[status] > 0)
          .map((status) => (
            <span key={status}>
              {t(`webhooks.certifyStatuses.${status}`)} {counts[status]}
            </span>
          ))}
      </div>
      {first && counts.failed > 1 && (
        <p className={classes['note']}>
          {t('webhooks.certifyFirst', { check: texts.checks[first.check as CheckId].title })}
        </p>
      )}
      {Object.keys(checkGroups).map((group) => (
        <Group
          key={group}
          title={texts.groups[group as keyof CertifyTexts['groups']]}
          results={results.filter(({ check }) => checks[check as CheckId].group === group)}
          texts={texts}
        />
      ))}
      <p className={classes['note']}>{t('webhooks.certifyGrants')}</p>
      <p className={classes['note']}>
        {t('webhooks.certifyUnseen')}{' '}
        {report.cannot_be_seen.map((code) => texts.unseen[code as Unseen]).join(' ')}
      </p>
    </div>
  );
}

function Group({ title, results, texts }: { title: string; results: CheckResult[]; texts: CertifyTexts }) {
  return (
    <section className={classes['group']}>
      <h3 className={classes['groupTitle']}>{title}</h3>
      <ul className={classes['checks']}>
        {results.map((result) => (
          <Check key={result.check} result={result} texts={texts} />
        ))}
      </ul>
    </section>
  );
}

function Check({ result, texts }: { result: CheckResult; texts: CertifyTexts }) {
  const { t } = useTranslation();
  const { check, status, finding, steps } = result;
  const { title, sent, expected, fix: usualFix } = texts.checks[check as CheckId];
  const found: { text: string; fix?: string } = texts.findings[finding.code as FindingCode];
  const Icon = icons[status];
  const wrote = steps.findLast(({ response }) => response !== '')?.response;
  const needsFix = status === 'failed' || status === 'warning';
  return (
    <li>
      <details open={needsFix}>
        <summary className={classes['check']}>
          <span className={`${classes['mark']} ${classes[status]}`}>
            <Icon size={16} aria-hidden />
            <span className="visually-hidden">{t(`webhooks.certifyStatuses.${status}`)}</span>
          </span>
          <span>{title}</span>
        </summary>
        <div className={classes['details']}>
          <dl className={classes['facts']}>
            <dt>{t('webhooks.certifySent')}</dt>
            <dd>{sent}</dd>
            <dt>{t('webhooks.certifyExpected')}</dt>
            <dd>{expected}</dd>
            <dt>{t('webhooks.certifyReceived')}</dt>
            <dd>
              {fillText(found.text, finding.parameters)}
              {needsFix && wrote && <code className={classes['wrote']}>{wrote}</code>}
            </dd>
            {needsFix && (
              <>
                <dt>{t('webhooks.certifyFix')}</dt>
                <dd>{found.fix ?? usualFix}</dd>
              </>
            )}
          </dl>
        </div>
      </details>
    </li>
  );
}
