import { Button, Group, Modal, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { leaveNow, stay, usePendingLeave } from '../ui/unsaved-changes.ts';

/** Asks whether to leave a page with unsaved changes. */
export function LeaveDialog() {
  const { t } = useTranslation();
  const pending = usePendingLeave();
  return (
    <Modal
      opened={pending !== null}
      onClose={stay}
      title={t('unsaved.title')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Text mb="md">{t('unsaved.text')}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => pending && leaveNow(pending)}>
          {t('unsaved.leave')}
        </Button>
        <Button onClick={stay} data-autofocus>
          {t('unsaved.stay')}
        </Button>
      </Group>
    </Modal>
  );
}
