import { Button, Group, JsonInput, Skeleton, Stack } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../data/api-error.ts';
import { reasonText } from '../../data/reason-text.ts';
import type { ProgramDraftView, ProgramVersionView, Terms } from '../../data/types.ts';
import { useSend } from '../../data/use-send.ts';
import { EditConflictNotice } from '../../ui/edit-conflict-notice.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { notify } from '../../ui/notifications.ts';
import { Section } from '../../ui/section.tsx';
import { useSavedForm } from '../../ui/use-saved-form.ts';
import { DraftNotice } from './draft-notice.tsx';
import { PublishButton } from './publish-button.tsx';

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

/** A draft of terms as JSON, which can have several rules, to simulate and to publish as the next version. */
export function TermsEditor({
  current,
  draft: saved,
}: {
  current: ProgramVersionView;
  draft: ProgramDraftView | null;
}) {
  const { t } = useTranslation();
  const simulate = useSend('POST /program/simulate');
  const publish = useSend('POST /program');
  const save = useSend('PUT /program/draft');
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
  const send = (published: Terms) => (note: string) =>
    publish.mutateAsync({ terms: published, base_version: base.version, note }).then(
      (version) => {
        accept(textOf(version));
        notify(t('program.published', { version: version.version }));
      },
      (error: Error) => {
        showErrors(error);
        throw error;
      },
    );
  const saveDraft = form.onSubmit(() => {
    if (!terms) return;
    save.mutate(
      { terms, base_version: base.version, former_saved_at: saved?.saved_at ?? null },
      { onSuccess: () => notify(t('program.draftSaved')), onError: showErrors },
    );
  });
  const savedText = saved && textOf({ version: base.version, terms: saved.terms }).text;
  return (
    <Stack gap={20}>
      {saved && savedText !== null && savedText !== text && (
        <DraftNotice draft={saved} open={() => form.setValues({ version: base.version, text: savedText })} />
      )}
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
            <ErrorNotice error={simulate.error ?? save.error ?? publish.error} />
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
              <PublishButton
                disabled={!changed || !terms}
                next={next}
                live={current.terms}
                terms={terms ?? current.terms}
                simulation={simulated ? simulate.data : undefined}
                publish={send(terms ?? current.terms)}
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
