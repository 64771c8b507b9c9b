import { Button } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useWebhooks } from '../../../data/webhooks.ts';
import { pathOf } from '../../../app/paths.ts';
import { usePermissions } from '../../../app/session-context.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import { NextTime } from '../../../ui/date-time.tsx';
import { Page } from '../../../ui/page.tsx';
import { PagedList } from '../../../ui/data-list.tsx';
import { Section } from '../../../ui/section.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import { useFormat } from '../../../ui/use-format.ts';
import { useQueryState } from '../../../ui/use-query-state.ts';
import { NewWebhook } from './new-webhook.tsx';
import { ProblemNotices } from '../../home/problems/problem-notices.tsx';

/** All webhooks with their health. `?new=1` opens the form for a new one. */
export function Webhooks() {
  const { t } = useTranslation();
  const { number, percent, milliseconds } = useFormat();
  const { canEdit } = usePermissions();
  const [get, set] = useQueryState();
  const webhooks = useWebhooks();
  const add = canEdit && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => set({ new: '1' })}>
      {t('webhooks.add')}
    </Button>
  );
  return (
    <Page docs="webhooks" title={t('nav.webhooks')} lead={t('webhooks.lead')} actions={add}>
      <ProblemNotices about={{ kind: 'no_webhook' }} />
      <Section flush>
        <PagedList
          caption={t('nav.webhooks')}
          pages={webhooks}
          keyOf={({ id }) => id}
          linkOf={({ id }) => pathOf.webhook(id)}
          columns={[
            {
              header: t('fields.url'),
              cell: ({ url, id }) => (
                <Identifier value={url} name={t('fields.url')} to={pathOf.webhook(id)} />
              ),
              width: 'wide',
            },
            {
              header: t('fields.state'),
              cell: ({ status, breaker }) => (
                <div>
                  <StateBadge state={status} />
                  {status === 'failing' && breaker?.next_probe_at && (
                    <div style={{ fontSize: 12, color: 'var(--ink-soft)' }}>
                      {t('webhooks.nextProbe')} <NextTime at={breaker.next_probe_at} relative />
                    </div>
                  )}
                </div>
              ),
            },
            {
              header: t('webhooks.eventTypes'),
              cell: ({ event_types: types }) => <EventTypeList types={types} />,
            },
            {
              header: t('webhooks.success'),
              cell: ({ health }) => (health.success_rate === null ? '–' : percent(health.success_rate)),
              end: true,
            },
            {
              header: 'p95',
              cell: ({ health }) => (health.p95_ms === null ? '–' : milliseconds(health.p95_ms)),
              end: true,
            },
            { header: t('webhooks.waiting'), cell: ({ waiting, held }) => number(waiting + held), end: true },
          ]}
          empty={
            <EmptyState
              icon={<IconWebhook size={22} stroke={1.6} />}
              title={t('webhooks.empty')}
              text={t('webhooks.emptyText')}
              action={add}
            />
          }
        />
      </Section>
      <p style={{ margin: 0, fontSize: 13, color: 'var(--ink-soft)' }}>{t('webhooks.deleting')}</p>
      <NewWebhook opened={canEdit && get('new') === '1'} onClose={() => set({ new: null })} />
    </Page>
  );
}

function EventTypeList({ types }: { types: string[] }) {
  return (
    <span style={{ display: 'inline-flex', flexWrap: 'wrap', gap: '2px 10px', justifyContent: 'inherit' }}>
      {types.map((type) => (
        <code key={type}>{type}</code>
      ))}
    </span>
  );
}
