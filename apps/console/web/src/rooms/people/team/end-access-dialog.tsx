import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConsoleRole } from '../../../data/types.ts';
import { ErrorNotice } from '../../../ui/error-notice.tsx';

/** A team member, with the number of active API keys that they created. */
export interface MemberWithKeys {
  userId: string;
  email: string;
  role: ConsoleRole;
  keys: number;
}

interface EndAccessDialogProps {
  /** Null while the dialog is closed. */
  member: MemberWithKeys | null;
  title: string;
  text: string;
  actionLabel: string;
  onClose: () => void;
  run: (member: MemberWithKeys, revokeKeys: boolean) => Promise<unknown>;
}

/** Asks for confirmation before a team member loses access, and whether to revoke the API keys that they created. */
export function EndAccessDialog({ member, title, text, actionLabel, onClose, run }: EndAccessDialogProps) {
  const { t } = useTranslation();
  const [revokeKeys, setRevokeKeys] = useState(false);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const close = () => {
    setRevokeKeys(false);
    setError(null);
    onClose();
  };
  const confirm = async (confirmed: MemberWithKeys) => {
    setPending(true);
    setError(null);
    await run(confirmed, revokeKeys).then(close, (reason: Error) => setError(reason));
    setPending(false);
  };
  return (
    <Modal
      opened={member !== null}
      onClose={close}
      title={title}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {member && (
        <Stack gap="md">
          <Text>{text}</Text>
          {member.keys > 0 && (
            <Checkbox
              label={t('team.revokeKeys', { count: member.keys })}
              description={t('team.revokeKeysHint')}
              checked={revokeKeys}
              onChange={(event) => setRevokeKeys(event.currentTarget.checked)}
            />
          )}
          <ErrorNotice error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button color="red.9" loading={pending} onClick={() => void confirm(member)}>
              {actionLabel}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
