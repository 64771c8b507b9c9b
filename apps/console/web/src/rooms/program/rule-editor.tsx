import { Button, Group, NativeSelect, Radio, Skeleton, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../data/use-send.ts';
import type { ProgramDraftView, ProgramVersionView } from '../../data/types.ts';
import { EditConflictNotice } from '../../ui/edit-conflict-notice.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formErrors } from '../../data/form-errors.ts';
import { notify } from '../../ui/notifications.ts';
import { Section } from '../../ui/section.tsx';
import { useSavedForm } from '../../ui/use-saved-form.ts';
import { BenefitFields } from './benefit-fields.tsx';
import { DraftNotice } from './draft-notice.tsx';
import { ChoiceFields, LimitFields } from './limit-fields.tsx';
import { PublishButton } from './publish-button.tsx';
import classes from './rule-editor.module.css';
import { ruleErrors, ruleForm, termsOf } from './rule-form.ts';
import type { RuleForm } from './rule-form.ts';
import { useRuleValidation } from './use-rule-validation.ts';
import { useRuleDescription } from './use-rule-description.ts';

/** The result of a simulation, when there is one. */
const Simulation = lazy(async () => ({ default: (await import('./simulation.tsx')).Simulation }));

/** The days whose orders a simulation evaluates. The first is the default of the server. */
const simulatedDays = [90, 30, 180, 365];

/** A draft of terms with one rule, with its simulation on stored orders beside it, to publish as the next version. */
export function RuleEditor({
  current,
  draft: saved,
}: {
  current: ProgramVersionView;
  draft: ProgramDraftView | null;
}) {
  const { t } = useTranslation();
  const describe = useRuleDescription();
  const simulate = useSend('POST /program/simulate');
  const publish = useSend('POST /program');
  const save = useSend('PUT /program/draft');
  const [days, setDays] = useState(90);
  const { form, base, conflict, accept, discard } = useSavedForm<RuleForm>(ruleForm(current), {
    validate: useRuleValidation(),
    saving: publish.isPending,
  });
  const draft = termsOf(form.values);
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const changed = !isSame(draft, termsOf(base));
  const showErrors = (error: Error) => form.setErrors(ruleErrors(formErrors(error, 'terms.rules[0].')));
  const run = form.onSubmit(() => {
    const since = new Date(Date.now() - days * 86_400_000).toISOString();
    simulate.mutate({ terms: draft, since }, { onError: showErrors });
  });
  const simulated = isSame(simulate.variables?.terms, draft);
  const { version } = base;
  const savedForm = saved && ruleForm({ version, terms: saved.terms });
  const next = version + 1;
  const send = (note: string) =>
    publish.mutateAsync({ terms: draft, base_version: version, note }).then(
      (published) => {
        accept(ruleForm(published));
        notify(t('program.published', { version: published.version }));
      },
      (error: Error) => {
        showErrors(error);
        throw error;
      },
    );
  const saveDraft = form.onSubmit(() =>
    save.mutate(
      { terms: draft, base_version: version, former_saved_at: saved?.saved_at ?? null },
      { onSuccess: () => notify(t('program.draftSaved')), onError: showErrors },
    ),
  );
  return (
    <Stack gap={20}>
      {saved && savedForm && !isSame(termsOf(savedForm), draft) && (
        <DraftNotice draft={saved} open={() => form.setValues(savedForm)} />
      )}
      <div className={classes['editor']}>
        <Section title={t('program.draft', { version: next })} lead={t('program.draftLead')}>
          <form onSubmit={run} noValidate>
            <Stack gap="lg">
              <Radio.Group label={t('program.trigger')} {...form.getInputProps('trigger')}>
                <Stack gap="xs" mt={6}>
                  {(['first_order', 'every_order'] as const).map((trigger) => (
                    <Radio
                      key={trigger}
                      value={trigger}
                      label={t(`program.triggers.${trigger}`)}
                      description={t(`program.triggerHints.${trigger}`)}
                    />
                  ))}
                </Stack>
              </Radio.Group>
              <div className={classes['sides']}>
                <BenefitFields form={form} side="referee" />
                <BenefitFields form={form} side="referrer" />
              </div>
              <LimitFields form={form} />
              <ChoiceFields form={form} />
              <ErrorNotice error={simulate.error ?? save.error ?? publish.error} />
              {conflict && (
                <EditConflictNotice
                  title={t('program.conflict', { version })}
                  fields={describe(termsOf(conflict.now)).map(({ key, name, value }) => ({
                    name,
                    before:
                      describe(termsOf(conflict.before)).find((field) => field.key === key)?.value ?? '',
                    now: value,
                  }))}
                  discard={discard}
                />
              )}
              <Group align="end">
                <NativeSelect
                  label={t('program.simulatedDays')}
                  value={String(days)}
                  onChange={(event) => setDays(Number(event.currentTarget.value))}
                  data={simulatedDays.map((value) => ({
                    value: String(value),
                    label: t('program.lastDays', { days: value }),
                  }))}
                />
                <Button type="submit" variant="default" loading={simulate.isPending}>
                  {t('program.simulate')}
                </Button>
              </Group>
              <Group>
                <PublishButton
                  disabled={!changed}
                  next={next}
                  live={current.terms}
                  terms={draft}
                  simulation={simulated ? simulate.data : undefined}
                  publish={send}
                />
                {changed && (
                  <>
                    <Button variant="default" loading={save.isPending} onClick={() => saveDraft()}>
                      {t('program.saveDraft')}
                    </Button>
                    <Button variant="subtle" color="gray" onClick={discard}>
                      {t('program.reset')}
                    </Button>
                  </>
                )}
              </Group>
            </Stack>
          </form>
        </Section>
        <div className={classes['beside']} aria-live="polite">
          {simulate.data ? (
            <Suspense fallback={<Skeleton height={240} radius="md" />}>
              <Simulation result={simulate.data} stale={!simulated} />
            </Suspense>
          ) : (
            <Section title={t('program.simulation')}>
              <Text c="var(--ink-soft)">{t('program.noSimulation')}</Text>
            </Section>
          )}
        </div>
      </div>
    </Stack>
  );
}
