import { Button, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import type { Terms, SimulationView } from '../../data/types.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useChangeForm } from '../../ui/use-change-form.ts';
import { RuleChanges } from './rule-changes.tsx';
import { SimulationTotal } from './simulation-total.tsx';

interface PublishProps {
  /** The number of the version that is published. */
  next: number;
  /** The terms in force. */
  live: Terms;
  terms: Terms;
  /** That of this draft; undefined when it was not simulated. */
  simulation: SimulationView | undefined;
  publish: (note: string) => Promise<unknown>;
}

/** Publishes a draft, after a dialog that shows what it changes. */
export function PublishButton({ disabled, ...props }: PublishProps & { disabled: boolean }) {
  const { t } = useTranslation();
  const [opened, dialog] = useDisclosure(false);
  return (
    <>
      <Button size="sm" disabled={disabled} onClick={dialog.open}>
        {t('program.publish', { version: props.next })}
      </Button>
      {opened && <PublishDialog {...props} onClose={dialog.close} />}
    </>
  );
}

function PublishDialog({
  next,
  live,
  terms,
  simulation,
  publish,
  onClose,
}: PublishProps & { onClose: () => void }) {
  const { t } = useTranslation();
  const { form, submit } = useChangeForm({
    mode: 'uncontrolled',
    initialValues: { note: '' },
    send: ({ note }) => publish(note.trim()),
    done: onClose,
  });
  return (
    <FormDialog
      size="lg"
      title={t('program.publishTitle', { version: next })}
      actionLabel={t('program.publish', { version: next })}
      submit={submit}
      onClose={onClose}
    >
      <Stack gap={4}>
        <Text fw={600}>{t('program.changes')}</Text>
        <RuleChanges before={live} terms={terms} />
      </Stack>
      <Stack gap={4}>
        <Text fw={600}>{t('program.simulation')}</Text>
        {simulation ? (
          <div>
            <SimulationTotal result={simulation} />
          </div>
        ) : (
          <Text>{t('program.notSimulated')}</Text>
        )}
      </Stack>
      <Textarea
        label={t('program.note')}
        description={t('program.noteHint')}
        maxLength={500}
        autosize
        minRows={2}
        {...form.getInputProps('note')}
      />
      <Text>{t('program.publishText')}</Text>
    </FormDialog>
  );
}
