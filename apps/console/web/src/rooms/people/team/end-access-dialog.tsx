import { Checkbox, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ConsoleRole } from '../../../data/types.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { useChangeForm } from '../../../ui/use-change-form.ts';

/** A team member, with the number of active API keys that they created. */
export interface MemberWithKeys {
  userId: string;
  email: string;
  role: ConsoleRole;
  keys: number;
}

interface EndAccessDialogProps {
  member: MemberWithKeys;
  title: string;
  text: string;
  actionLabel: string;
  onClose: () => void;
  run: (member: MemberWithKeys, revokeKeys: boolean) => Promise<unknown>;
}

/** Asks for confirmation before a team member loses access, and whether to revoke the API keys that they created. */
export function EndAccessDialog({ member, text, run, ...dialog }: EndAccessDialogProps) {
  const { t } = useTranslation();
  const { form, submit } = useChangeForm({
    initialValues: { revoke_keys: member.keys > 0 },
    send: ({ revoke_keys: revokeKeys }) => run(member, revokeKeys),
    done: dialog.onClose,
  });
  return (
    <FormDialog {...dialog} submit={submit} danger>
      <Text>{text}</Text>
      {member.keys > 0 && (
        <Checkbox
          label={t('team.revokeKeys', { count: member.keys })}
          description={t('team.revokeKeysHint')}
          {...form.getInputProps('revoke_keys', { type: 'checkbox' })}
        />
      )}
    </FormDialog>
  );
}
