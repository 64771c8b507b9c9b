import { useTranslation } from 'react-i18next';
import { useRead } from '../../data/use-read.ts';
import { useSend } from '../../data/use-send.ts';
import { useRight } from '../../app/session-context.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/section.tsx';

/** Deletes the data of the test side. */
export function TestData() {
  const { t } = useTranslation();
  const canManage = useRight('manage');
  const data = useRead(
    'GET /test-data',
    {},
    { refetchInterval: ({ state }) => (state.data?.deleting_since ? 1_000 : false) },
  );
  const remove = useSend('DELETE /test-data');
  const isDeleting = Boolean(data.data?.deleting_since);
  return (
    <Section
      title={t('testSide.data.title')}
      lead={t('testSide.data.lead')}
      actions={
        canManage && (
          <ConfirmButton
            size="sm"
            danger
            disabled={isDeleting}
            label={t('testSide.data.delete')}
            title={t('testSide.data.confirm')}
            text={t('testSide.data.confirmText')}
            actionLabel={t('testSide.data.delete')}
            run={() => remove.mutateAsync()}
          />
        )
      }
    >
      <Loaded query={data}>
        {({ deleting_since: since, deleted_at: at }) => (
          <p role="status" style={{ margin: 0, fontSize: 13, color: 'var(--ink-soft)' }}>
            {since ? (
              t('testSide.data.deleting')
            ) : !at ? (
              t('testSide.data.never')
            ) : (
              <>
                {t('testSide.data.deleted')} <DateTime at={at} />
              </>
            )}
          </p>
        )}
      </Loaded>
    </Section>
  );
}
