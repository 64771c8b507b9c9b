import { Button } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useList } from '../../../data/use-read.ts';
import { pathOf } from '../../../app/paths.ts';
import { useRight } from '../../../app/session-context.ts';
import { ProblemNotices } from '../../../app/problem-notices.tsx';
import { ListPage } from '../../../ui/list-page.tsx';
import { useQueryState } from '../../../ui/use-query-state.ts';
import { NewWebhook } from './new-webhook.tsx';
import { webhookColumns } from './webhook-columns.tsx';

/** All webhooks with their health. `?new=1` opens the form for a new one. */
export function Webhooks() {
  const { t } = useTranslation();
  const canEdit = useRight('integrate');
  const [get, set] = useQueryState();
  const webhooks = useList('GET /webhooks', {}, 5_000);
  const add = canEdit && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => set({ new: '1' })}>
      {t('webhooks.add')}
    </Button>
  );
  return (
    <ListPage
      docs="webhooks"
      title={t('nav.webhooks')}
      lead={t('webhooks.lead')}
      actions={add}
      notices={<ProblemNotices about={{ kind: 'no_webhook' }} />}
      pages={webhooks}
      columns={webhookColumns}
      linkOf={({ id }) => pathOf.webhook(id)}
      empty={{
        icon: <IconWebhook size={22} stroke={1.6} />,
        title: t('webhooks.empty'),
        text: t('webhooks.emptyText'),
        action: add,
      }}
    >
      <p style={{ margin: 0, fontSize: 13, color: 'var(--ink-soft)' }}>{t('webhooks.deleting')}</p>
      {canEdit && get('new') === '1' && <NewWebhook onClose={() => set({ new: null })} />}
    </ListPage>
  );
}
