import { NumberInput, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { SecretField } from '../../../ui/secret-field.tsx';
import { useChangeForm } from '../../../ui/use-change-form.ts';

/** The longest overlap that the server accepts, in hours. */
const maxOverlapHours = 168;

const initialValues: { overlap_hours: number | string } = { overlap_hours: 24 };

/** The dialog that asks for the overlap, replaces the identity secret, and shows the new one. */
export function ReplaceIdentitySecret({
  onClose,
  onReplaced,
}: {
  onClose: () => void;
  onReplaced: () => void;
}) {
  const { t } = useTranslation();
  const replace = useSend('POST /credentials/identity-secret/replace');
  const { form, isUnsaved, submit, output } = useChangeForm({
    initialValues,
    validate: {
      overlap_hours: (hours) => (hours === '' ? t('credentials.overlapMissing') : null),
    },
    send: ({ overlap_hours: hours }) => replace.mutateAsync({ overlap_hours: Number(hours) }),
    done: (_secret, sent) => {
      sent.reset();
      onReplaced();
    },
  });
  const atOnce = form.values.overlap_hours === 0;
  return (
    <FormDialog
      title={t(output ? 'credentials.secretReplaced' : 'credentials.replaceSecretTitle')}
      actionLabel={t('credentials.replaceSecret')}
      danger={atOnce}
      submit={submit}
      isUnsaved={isUnsaved}
      result={
        output && {
          content: (
            <SecretField
              label={t('credentials.identitySecret')}
              value={output.secret}
              hint={t('credentials.newSecretHint')}
            />
          ),
          closeLabel: t('common.close'),
        }
      }
      onClose={onClose}
    >
      <Text>{t('credentials.replaceSecretText')}</Text>
      <NumberInput
        label={t('credentials.overlap')}
        description={t('credentials.overlapHint')}
        min={0}
        max={maxOverlapHours}
        allowDecimal={false}
        maw={260}
        {...form.getInputProps('overlap_hours')}
      />
      {atOnce && <Text c="var(--tone-warn)">{t('credentials.overlapNone')}</Text>}
    </FormDialog>
  );
}
