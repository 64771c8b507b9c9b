import { Alert, Button, Group } from '@mantine/core';
import { IconNotes } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../data/use-send.ts';
import type { ProgramDraftView } from '../../data/types.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { DateTime } from '../../ui/date-time.tsx';

/** The saved draft of the side, which the form can take over. */
export function DraftNotice({ draft, open }: { draft: ProgramDraftView; open: () => void }) {
  const { t } = useTranslation();
  const remove = useSend('DELETE /program/draft', { former_saved_at: draft.saved_at });
  return (
    <Alert
      variant="default"
      icon={<IconNotes aria-hidden />}
      title={t('program.savedDraft', { by: draft.saved_by })}
    >
      <DateTime at={draft.saved_at} /> · {t('program.basedOn', { version: draft.base_version })}
      <Group gap="xs" mt="xs">
        <Button size="xs" variant="default" onClick={open}>
          {t('program.openDraft')}
        </Button>
        <ConfirmButton
          label={t('program.deleteDraft')}
          title={t('program.deleteDraftTitle')}
          text={t('program.deleteDraftText', { by: draft.saved_by })}
          actionLabel={t('program.deleteDraft')}
          danger
          run={() => remove.mutateAsync()}
        />
      </Group>
    </Alert>
  );
}
