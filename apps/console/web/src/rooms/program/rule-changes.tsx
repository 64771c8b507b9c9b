import { useTranslation } from 'react-i18next';
import type { Terms } from '../../data/types.ts';
import classes from './versions.module.css';
import { useRuleDescription } from './use-rule-description.ts';

/** The fields in which terms differ from those before; without them, all of them. */
export function RuleChanges({ before, terms }: { before: Terms | undefined; terms: Terms }) {
  const { t } = useTranslation();
  const describe = useRuleDescription();
  const old = before && describe(before);
  const described = describe(terms);
  const find = (fields: typeof described, key: string) => fields.find((field) => field.key === key);
  const changes = described.filter(({ key, value }) => !old || find(old, key)?.value !== value);
  const removed = old?.filter(({ key }) => !find(described, key)) ?? [];
  return (
    <ul className={classes['changes']}>
      {changes.map(({ key, name, value }) => (
        <li key={key}>
          {name}: {old && <>{find(old, key) && <del>{find(old, key)?.value}</del>} → </>}
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
  );
}
