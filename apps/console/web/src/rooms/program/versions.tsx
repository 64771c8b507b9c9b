import { useTranslation } from 'react-i18next';
import type { ProgramVersionView } from '../../data/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { Section } from '../../ui/section.tsx';
import { useRuleDescription } from './use-rule-description.ts';
import classes from './versions.module.css';

/** All versions with their changes, newest first. */
export function Versions({ versions }: { versions: ProgramVersionView[] }) {
  const { t } = useTranslation();
  const describe = useRuleDescription();
  return (
    <Section title={t('program.versions')} lead={t('program.versionsLead')}>
      <ol className={classes['versions']} reversed>
        {versions.map((version, index) => {
          const before = versions[index + 1];
          const old = before && describe(before.terms);
          const described = describe(version.terms);
          const has = (fields: typeof described, { key }: { key: string }) =>
            fields.find((field) => field.key === key);
          const changes = described.filter((field) => !old || has(old, field)?.value !== field.value);
          const removed = old?.filter((field) => !has(described, field)) ?? [];
          return (
            <li key={version.version}>
              <p className={classes['head']}>
                <strong>{t('program.version', { version: version.version })}</strong>
                {index === 0 && <Badge tone="good">{t('program.live')}</Badge>}
                <span>
                  <DateTime at={version.published_at} />
                </span>
              </p>
              <ul className={classes['changes']}>
                {changes.map(({ key, name, value }) => (
                  <li key={key}>
                    {name}: {old && <>{has(old, { key }) && <del>{has(old, { key })?.value}</del>} → </>}
                    <ins>{value}</ins>
                  </li>
                ))}
                {removed.map(({ key, name, value }) => (
                  <li key={key}>
                    {name}: <del>{value}</del>
                  </li>
                ))}
                {changes.length + removed.length === 0 && <li>{t('program.noChange')}</li>}
              </ul>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
