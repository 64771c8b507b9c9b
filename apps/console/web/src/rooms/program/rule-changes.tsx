import { useTranslation } from 'react-i18next';
import type { Terms } from '../../data/types.ts';
import classes from './versions.module.css';
import { useRuleDescription } from './use-rule-description.ts';

/** The fields in which terms differ from those before; without them, all of them. */
export function RuleChanges({ before, terms }: { before: Terms | undefined; terms: Terms }) {
  const { t } = useTranslation();
  const describe = useRuleDescription();
  const old = before && describe(before);
  const changes = describe(terms).filter(({ value }, field) => !old || old[field]?.value !== value);
  return (
    <ul className={classes['changes']}>
      {changes.map(({ key, name, value }) => (
        <li key={key}>
          {name}:{' '}
          {old && (
            <>
              <del>{old.find((field) => field.key === key)?.value}</del> →{' '}
            </>
          )}
          <ins>{value}</ins>
        </li>
      ))}
      {changes.length === 0 && <li>{t('program.noChange')}</li>}
    </ul>
  );
}
