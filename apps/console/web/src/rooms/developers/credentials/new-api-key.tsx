import { Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { formErrors } from '../../../data/form-errors.ts';
import { SecretField } from '../../../ui/secret-field.tsx';
import { useUnsaved } from '../../../ui/unsaved-changes.ts';
import { useFormRules } from '../../../ui/use-form-rules.ts';

/** Creates an API key and shows it once. Its dialog closes only with "I have stored the key". */
export function NewApiKey({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const create = useSend('POST /credentials/api-keys');
  const form = useForm({
    initialValues: { kind: 'secret' as 'secret' | 'public', name: '' },
    validate: { name: rules.required },
  });
  const created = create.data;
  const unsaved = opened && !created && form.isDirty();
  useUnsaved(unsaved);
  const close = () => {
    onClose();
    create.reset();
    form.reset();
  };
  const submit = form.onSubmit((values) =>
    create.mutate(
      { ...values, name: values.name.trim() },
      { onError: (error) => form.setErrors(formErrors(error)) },
    ),
  );
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={created ? t('credentials.keyCreated') : t('credentials.newKey')}
      closeOnClickOutside={!created && !unsaved}
      closeOnEscape={!created && !unsaved}
      withCloseButton={!created}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {created ? (
        <Stack gap="md">
          <SecretField label={t('credentials.key')} value={created.value} hint={t('firstKeys.once')} />
          <Button onClick={close}>{t('firstKeys.stored')}</Button>
        </Stack>
      ) : (
        <form onSubmit={submit} noValidate>
          <Stack gap="md">
            <ErrorNotice error={create.error} />
            <TextInput
              label={t('fields.name')}
              description={t('credentials.nameHint')}
              required
              data-autofocus
              {...form.getInputProps('name')}
            />
            <Radio.Group label={t('credentials.kind')} {...form.getInputProps('kind')}>
              <Stack gap="xs" mt={6}>
                <Radio
                  value="secret"
                  label={t('credentials.kinds.secret')}
                  description={t('credentials.secretHint')}
                />
                <Radio
                  value="public"
                  label={t('credentials.kinds.public')}
                  description={t('credentials.publicHint')}
                />
              </Stack>
            </Radio.Group>
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {t('common.cancel')}
              </Button>
              <Button type="submit" loading={create.isPending}>
                {t('credentials.newKey')}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
