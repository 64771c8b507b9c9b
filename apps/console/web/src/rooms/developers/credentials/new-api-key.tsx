import { Radio, Stack, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { SecretField } from '../../../ui/secret-field.tsx';
import { useChangeForm } from '../../../ui/use-change-form.ts';
import { useFormRules } from '../../../ui/use-form-rules.ts';

const initialValues: { kind: 'secret' | 'public'; name: string } = { kind: 'secret', name: '' };

/** Creates an API key and shows it once. Its dialog then closes only with "I have stored the key". */
export function NewApiKey({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const create = useSend('POST /credentials/api-keys');
  const { form, isUnsaved, submit, output } = useChangeForm({
    initialValues,
    validate: { name: rules.required },
    send: (values) => create.mutateAsync({ ...values, name: values.name.trim() }),
    done: (_key, sent) => sent.reset(),
  });
  return (
    <FormDialog
      title={t(output ? 'credentials.keyCreated' : 'credentials.newKey')}
      actionLabel={t('credentials.newKey')}
      submit={submit}
      isUnsaved={isUnsaved}
      result={
        output && {
          content: (
            <SecretField label={t('credentials.key')} value={output.value} hint={t('firstKeys.once')} />
          ),
          closeLabel: t('firstKeys.stored'),
        }
      }
      onClose={onClose}
    >
      <TextInput
        label={t('fields.name')}
        description={t('credentials.nameHint')}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Radio.Group label={t('credentials.kind')} {...form.getInputProps('kind')}>
        <Stack gap="xs" mt={6}>
          {(['secret', 'public'] as const).map((kind) => (
            <Radio
              key={kind}
              value={kind}
              label={t(`credentials.kinds.${kind}`)}
              description={t(`credentials.${kind}Hint`)}
            />
          ))}
        </Stack>
      </Radio.Group>
    </FormDialog>
  );
}
