import { useTranslation } from 'react-i18next';
import type { ProgramVersionView } from '../../api/types.ts';
import { DateTime } from '../../components/date-time.tsx';
import { Facts } from '../../components/facts.tsx';
import { Section } from '../../components/section.tsx';
import { useRuleWords } from './use-rule-words.ts';

/** The rule that counts now. */
export function RuleSummary({ version }: { version: ProgramVersionView }) {
  const { t } = useTranslation();
  const words = useRuleWords();
  return (
    <Section
      title={t('program.liveVersion', { version: version.version })}
      lead={
        <>
          {t('program.publishedAt')} <DateTime at={version.published_at} />
        </>
      }
    >
      <Facts facts={words(version.rule).map(({ name, value }) => [name, value])} />
    </Section>
  );
}
