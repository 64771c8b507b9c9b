import { Button, Group, Radio, Skeleton, Stack } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../data/use-send.ts';
import type { ProgramVersionView } from '../../data/types.ts';
import { EditConflictNotice } from '../../ui/edit-conflict-notice.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formErrors } from '../../data/form-errors.ts';
import { notify } from '../../ui/notifications.ts';
import { Section } from '../../ui/section.tsx';
import { useSavedForm } from '../../ui/use-saved-form.ts';
import { BenefitFields } from './benefit-fields.tsx';
import { ChoiceFields, LimitFields } from './limit-fields.tsx';
import classes from './rule-editor.module.css';
import { ruleErrors, ruleForm, termsOf } from './rule-form.ts';
import type { RuleForm } from './rule-form.ts';
import { useRuleValidation } from './use-rule-validation.ts';
import { useRuleDescription } from './use-rule-description.ts';

/** The table of a simulation, when there is one. */
const Simulation = lazy(async () => ({ default: (await import('./simulation.tsx')).Simulation }));

/** A draft of terms with one rule, to simulate on stored orders and to publish as the next version. */
export function RuleEditor({ current }: { current: ProgramVersionView }) {
  const { t } = useTranslation();
  const describe = useRuleDescription();
  const simulate = useSend('POST /program/simulate');
  const publish = useSend('POST /program');
  const { form, base, conflict, accept, discard } = useSavedForm<RuleForm>(ruleForm(current), {
    validate: useRuleValidation(),
    saving: publish.isPending,
  });
  const draft = termsOf(form.values);
  const changed = JSON.stringify(draft) !== JSON.stringify(termsOf(base));
  const showErrors = (error: Error) => form.setErrors(ruleErrors(formErrors(error, 'terms.rules[0].')));
  const run = form.onSubmit(() => simulate.mutate({ terms: draft }, { onError: showErrors }));
  const simulated = JSON.stringify(simulate.variables?.terms) === JSON.stringify(draft);
  const { version } = base;
  const next = version + 1;
  const submit = () =>
    publish.mutateAsync({ terms: draft, base_version: version }).then(
      (published) => {
        accept(ruleForm(published));
        notify(t('program.published', { version: published.version }));
      },
      (error: Error) => {
        showErrors(error);
        throw error;
      },
    );
  return (
    <Stack gap={20}>
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
            <ErrorNotice error={simulate.error ?? publish.error} />
            {conflict && (
              <EditConflictNotice
                title={t('program.conflict', { version })}
                fields={describe(termsOf(conflict.now)).map(({ key, name, value }) => ({
                  name,
                  before: describe(termsOf(conflict.before)).find((field) => field.key === key)?.value ?? '',
                  now: value,
                }))}
                discard={discard}
              />
            )}
            <Group>
              <Button type="submit" variant="default" loading={simulate.isPending}>
                {t('program.simulate')}
              </Button>
              <ConfirmButton
                size="sm"
                variant="filled"
                disabled={!changed}
                label={t('program.publish', { version: next })}
                title={t('program.publishTitle', { version: next })}
                text={simulated ? t('program.publishText') : t('program.publishUnseen')}
                actionLabel={t('program.publish', { version: next })}
                run={submit}
              />
              {changed && (
                <Button variant="subtle" color="gray" onClick={discard}>
                  {t('program.reset')}
                </Button>
              )}
            </Group>
          </Stack>
        </form>
      </Section>
      <div aria-live="polite">
        {simulate.data && (
          <Suspense fallback={<Skeleton height={240} radius="md" />}>
            <Simulation result={simulate.data} stale={!simulated} />
          </Suspense>
        )}
      </div>
    </Stack>
  );
}
