import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import type { ApiKeyView } from '../../../data/types.ts';
import { useRight } from '../../../app/session-context.ts';
import { Badge } from '../../../ui/badge.tsx';
import { ConfirmButton } from '../../../ui/confirm-button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { DataList } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { notify } from '../../../ui/notifications.ts';
import { Section } from '../../../ui/section.tsx';

/** A chunk of its own: the dialog is rarely opened, and its field is large. */
const NewApiKey = lazy(() => import('./new-api-key.tsx').then((module) => ({ default: module.NewApiKey })));

/** The API keys. Only the prefix and the last four characters of a secret key are known. */
export function ApiKeys({ keys }: { keys: ApiKeyView[] }) {
  const { t } = useTranslation();
  const canEdit = useRight('integrate');
  const revoke = useSend('DELETE /credentials/api-keys/:id');
  const [opened, form] = useDisclosure(false);
  const creatorOf = (by: ApiKeyView['created_by']) => {
    if (by === null) return t('credentials.creatorUnknown');
    return by === 'operator' ? t('credentials.creatorOperator') : by.email;
  };
  const revokeButton = (key: ApiKeyView) => (
    <ConfirmButton
      label={t('credentials.revoke')}
      title={t('credentials.revokeTitle', { name: key.name })}
      text={t('credentials.revokeText')}
      actionLabel={t('credentials.revoke')}
      danger
      run={() => revoke.mutateAsync({ id: key.id }).then(() => notify(t('credentials.revoked')))}
    />
  );
  return (
    <Section
      title={t('credentials.apiKeys')}
      lead={t('credentials.apiKeysLead')}
      flush
      actions={
        canEdit && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={15} aria-hidden />}
            onClick={form.open}
          >
            {t('credentials.newKey')}
          </Button>
        )
      }
    >
      <DataList
        caption={t('credentials.apiKeys')}
        rows={keys}
        keyOf={({ id }) => id}
        empty={<EmptyState title={t('credentials.noKeys')} text={t('credentials.noKeysText')} />}
        columns={() => [
          { header: t('fields.name'), cell: ({ name }) => name, wraps: true },
          { header: t('credentials.kind'), width: 80, cell: ({ kind }) => t(`credentials.kinds.${kind}`) },
          { header: t('credentials.key'), width: 200, cell: (key) => <KeyText apiKey={key} />, wraps: true },
          {
            header: t('credentials.lastUsed'),
            cell: ({ last_used_at: at }) => (at ? <DateTime at={at} relative /> : t('credentials.never')),
          },
          {
            header: t('credentials.created'),
            width: 192,
            wraps: true,
            cell: ({ created_at: at, created_by: by }) => (
              <span style={{ display: 'grid' }}>
                <DateTime at={at} />
                <span style={{ color: 'var(--ink-soft)', overflowWrap: 'anywhere' }}>{creatorOf(by)}</span>
              </span>
            ),
          },
          {
            header: '',
            width: 115,
            end: true,
            cell: (key) => {
              if (key.revoked_at) return <Badge tone="idle">{t('credentials.isRevoked')}</Badge>;
              return canEdit ? revokeButton(key) : null;
            },
          },
        ]}
      />
      <Suspense fallback={null}>{opened && <NewApiKey onClose={form.close} />}</Suspense>
    </Section>
  );
}

function KeyText({ apiKey: { prefix, last_four: lastFour, value } }: { apiKey: ApiKeyView }) {
  const { t } = useTranslation();
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 2, minWidth: 0 }}>
      <code style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
        {value ?? `${prefix}…${lastFour}`}
      </code>
      {value && <CopyButton value={value} name={t('credentials.publicKey')} />}
    </span>
  );
}
