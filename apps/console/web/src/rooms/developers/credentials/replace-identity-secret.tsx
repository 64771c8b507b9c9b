import { Button, Group, Modal, NumberInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { SecretField } from '../../../ui/secret-field.tsx';
import { formErrors } from '../../../data/form-errors.ts';

/** The longest overlap that the server accepts, in hours. */
const maxOverlapHours = 168;

/** The dialog that asks for the overlap, replaces the identity secret, and shows the new one. */
export function ReplaceIdentitySecret({
  opened,
  onClose,
  onReplaced,
}: {
  opened: boolean;
  onClose: () => void;
  onReplaced: () => void;
}) {
  const { t } = useTranslation();
  const replace = useSend('POST /credentials/identity-secret/replace');
  const form = useForm({
    initialValues: { overlap_hours: 24 as number | string },
    validate: {
      overlap_hours: (hours) => (hours === '' ? t('credentials.overlapMissing') : null),
    },
  });
  const replaced = replace.data;
  const close = () => {
    onClose();
    replace.reset();
    form.reset();
  };
  const submit = form.onSubmit(({ overlap_hours: hours }) =>
    replace.mutate(
      { overlap_hours: Number(hours) },
      { onSuccess: onReplaced, onError: (error) => form.setErrors(formErrors(error)) },
    ),
  );
  const atOnce = form.values.overlap_hours === 0;
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={replaced ? t('credentials.secretReplaced') : t('credentials.replaceSecretTitle')}
      closeOnClickOutside={!replaced}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {replaced ? (
        <Stack gap="md">
          <SecretField
            label={t('credentials.identitySecret')}
            value={replaced.secret}
            hint={t('credentials.newSecretHint')}
          />
          <Button onClick={close}>{t('common.close')}</Button>
        </Stack>
      ) : (
        <form onSubmit={submit} noValidate>
          <Stack gap="md">
            <Text>{t('credentials.replaceSecretText')}</Text>
            <ErrorNotice error={replace.error} />
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
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {t('common.cancel')}
              </Button>
              <Button type="submit" color={atOnce ? 'red.9' : undefined} loading={replace.isPending}>
                {t('credentials.replaceSecret')}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
