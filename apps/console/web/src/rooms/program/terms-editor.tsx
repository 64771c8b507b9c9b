import { Button, Group, JsonInput, Skeleton, Stack } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../data/api-error.ts';
import { reasonText } from '../../data/reason-text.ts';
import type { ProgramVersionView, Terms } from '../../data/types.ts';
import { useSend } from '../../data/use-send.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { EditConflictNotice } from '../../ui/edit-conflict-notice.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { notify } from '../../ui/notifications.ts';
import { Section } from '../../ui/section.tsx';
import { useSavedForm } from '../../ui/use-saved-form.ts';

/** The table of a simulation, when there is one. */
const Simulation = lazy(async () => ({ default: (await import('./simulation.tsx')).Simulation }));

/** The terms as text, with the version that they are based on. */
interface TermsText {
  version: number;
  text: string;
}

const textOf = ({ version, terms }: Pick<ProgramVersionView, 'version' | 'terms'>): TermsText => ({
  version,
  text: JSON.stringify(terms, null, 2),
});

/** The terms in a text, whose fields the API validates; undefined when it is no JSON. */
function termsIn(text: string): Terms | undefined {
  try {
    return JSON.parse(text) as Terms;
  } catch {
    return undefined;
  }
}

/** A draft of terms with several rules, as JSON, to simulate and to publish as the next version. */
export function TermsEditor({ current }: { current: ProgramVersionView }) {
  const { t } = useTranslation();
  const simulate = useSend('POST /program/simulate');
  const publish = useSend('POST /program');
  const { form, base, conflict, accept, discard } = useSavedForm<TermsText>(textOf(current), {
    validate: { text: (text) => (termsIn(text) ? null : t('program.notJson')) },
    saving: publish.isPending,
  });
  const { text } = form.values;
  const terms = termsIn(text);
  const changed = text !== base.text;
  const showErrors = (error: Error) => {
    if (!(error instanceof ApiError)) return;
    const problems = Object.entries(error.fields).map(
      ([path, reason]) => `${path}: ${reasonText(reason, error.params[path] ?? '')}`,
    );
    form.setErrors({ text: problems.join('\n') });
  };
  const run = form.onSubmit(() => {
    if (terms) simulate.mutate({ terms }, { onError: showErrors });
  });
  const simulated = JSON.stringify(simulate.variables?.terms) === JSON.stringify(terms);
  const next = base.version + 1;
  const submit = async () => {
    if (!terms) return form.setErrors({ text: t('program.notJson') });
    const published = await publish
      .mutateAsync({ terms, base_version: base.version })
      .catch((error: Error) => {
        showErrors(error);
        throw error;
      });
    accept(textOf(published));
    notify(t('program.published', { version: published.version }));
  };
  return (
    <Stack gap={20}>
      <Section title={t('program.draft', { version: next })} lead={t('program.jsonLead')}>
        <form onSubmit={run} noValidate>
          <Stack gap="lg">
            <JsonInput
              label={t('program.json')}
              autosize
              minRows={12}
              maxRows={40}
              styles={{ input: { fontFamily: 'monospace' }, error: { whiteSpace: 'pre-line' } }}
              {...form.getInputProps('text')}
            />
            <ErrorNotice error={simulate.error ?? publish.error} />
            {conflict && (
              <EditConflictNotice
                title={t('program.conflict', { version: base.version })}
                fields={[{ name: t('program.json'), before: conflict.before.text, now: conflict.now.text }]}
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
