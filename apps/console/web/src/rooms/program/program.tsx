import { Tabs } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useRead } from '../../data/use-read.ts';
import { useSend } from '../../data/use-send.ts';
import { shownMode } from '../../app/mode.ts';
import { useRight } from '../../app/session-context.ts';
import { ProblemNotices } from '../../app/problem-notices.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Versions } from './versions.tsx';
import type { ProgramVersionView } from '../../data/types.ts';
import { DateTime } from '../../ui/date-time.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Section } from '../../ui/section.tsx';
import { useRuleDescription } from './use-rule-description.ts';

const RuleEditor = lazy(async () => ({ default: (await import('./rule-editor.tsx')).RuleEditor }));
const TermsEditor = lazy(async () => ({ default: (await import('./terms-editor.tsx')).TermsEditor }));

/** The reward program: the live version, a draft with its simulation, and the newest versions. */
export function Program() {
  const { t } = useTranslation();
  const program = useRead('GET /program');
  const canEdit = useRight('publish');
  return (
    <Page
      docs="rewards#the-program"
      title={t('nav.program')}
      lead={t('program.lead')}
      actions={canEdit && shownMode() === 'test' && <CopyLiveProgram />}
    >
      <ProblemNotices about={{ kind: 'budget_nearly_used' }} />
      <Loaded query={program}>
        {({ versions, more, draft }) => {
          const [current] = versions;
          if (!current) return null;
          // The form shows one rule.
          const hasForm = Math.max(current.terms.rules.length, draft?.terms.rules.length ?? 0) <= 1;
          const first = hasForm ? 'edit' : 'json';
          return (
            <>
              <RuleSummary version={current} />
              <Tabs
                defaultValue={canEdit ? first : 'versions'}
                keepMounted={false}
                // An Activity would end the effects of the form, and with them the guard of its unsaved changes.
                keepMountedMode="display-none"
              >
                <Tabs.List mb="md">
                  {canEdit && hasForm && <Tabs.Tab value="edit">{t('program.edit')}</Tabs.Tab>}
                  {canEdit && <Tabs.Tab value="json">{t('program.editJson')}</Tabs.Tab>}
                  <Tabs.Tab value="versions">{t('program.versions')}</Tabs.Tab>
                </Tabs.List>
                {canEdit && hasForm && (
                  <Tabs.Panel value="edit" keepMounted>
                    <Suspense>
                      <RuleEditor current={current} draft={draft} />
                    </Suspense>
                  </Tabs.Panel>
                )}
                {canEdit && (
                  <Tabs.Panel value="json" keepMounted>
                    <Suspense>
                      <TermsEditor current={current} draft={draft} />
                    </Suspense>
                  </Tabs.Panel>
                )}
                <Tabs.Panel value="versions">
                  <Versions versions={versions} more={more} />
                </Tabs.Panel>
              </Tabs>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** Publishes the rule of the live side on the test side. */
function CopyLiveProgram() {
  const { t } = useTranslation();
  const copy = useSend('POST /program/copy-live');
  return (
    <ConfirmButton
      size="sm"
      label={t('testSide.program.copy')}
      title={t('testSide.program.confirm')}
      text={t('testSide.program.confirmText')}
      actionLabel={t('testSide.program.copy')}
      run={() => copy.mutateAsync()}
    />
  );
}

/** The rule of the version in force. */
function RuleSummary({ version }: { version: ProgramVersionView }) {
  const { t } = useTranslation();
  const describe = useRuleDescription();
  return (
    <Section
      title={t('program.liveVersion', { version: version.version })}
      lead={
        <>
          {t('program.publishedAt')} <DateTime at={version.published_at} />
        </>
      }
    >
      <Facts facts={describe(version.terms).map(({ name, value }) => [name, value])} />
    </Section>
  );
}
