import { Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useRead } from '../../../data/use-read.ts';
import type { WebhookView } from '../../../data/types.ts';
import { usePathId } from '../../../app/paths.ts';
import { useRight } from '../../../app/session-context.ts';
import { ProblemNotices } from '../../../app/problem-notices.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Page } from '../../../ui/page.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import { useQueryState } from '../../../ui/use-query-state.ts';
import { CertifyReceiver } from './certify-receiver.tsx';
import { EarlierRewards } from './earlier-rewards.tsx';
import { RecentDeliveries } from './recent-deliveries.tsx';
import { Replays } from './replays.tsx';
import { TestEvent } from './test-event.tsx';
import { WebhookHealth } from './webhook-health.tsx';
import { WebhookNotice } from './webhook-notice.tsx';
import { WebhookSettings } from './webhook-settings.tsx';
import { PauseButton } from './pause-button.tsx';
import classes from './webhook.module.css';

const parts = ['health', 'attempts', 'test', 'settings'] as const;
type Part = (typeof parts)[number];

/** One webhook in parts: its health, its attempts, tests of it, and its settings. */
export function Webhook() {
  const { t } = useTranslation();
  const id = usePathId();
  const query = useRead('GET /webhooks/:id', { id }, { refetchInterval: 3_000 });
  const canEdit = useRight('integrate');
  const [get, set] = useQueryState();
  const shown = parts.filter((part) => part !== 'test' || canEdit);
  const part = shown.find((one) => one === get('part')) ?? 'health';
  const name = query.data?.name ?? null;
  return (
    <Page
      docs="webhooks#retries"
      title={name ?? query.data?.url ?? t('fields.webhook')}
      {...(name !== null && query.data && { lead: query.data.url })}
      aside={query.data && <StateBadge state={query.data.status} />}
      back={{ to: '/webhooks', label: t('nav.webhooks') }}
      actions={canEdit && query.data && <PauseButton webhook={query.data} />}
    >
      <ProblemNotices about={{ subject: id }} />
      <Loaded query={query}>
        {(webhook) => (
          <>
            <WebhookNotice webhook={webhook} />
            {canEdit && <EarlierRewards id={webhook.id} />}
            <Tabs value={part} onChange={(chosen) => set({ part: chosen })} keepMounted={false}>
              <Tabs.List>
                {shown.map((one) => (
                  <Tabs.Tab key={one} value={one}>
                    {t(`webhooks.parts.${one}`)}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              <Tabs.Panel value={part} className={classes['part'] ?? ''}>
                <PartOf part={part} webhook={webhook} />
              </Tabs.Panel>
            </Tabs>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function PartOf({ part, webhook }: { part: Part; webhook: WebhookView }) {
  const canEdit = useRight('integrate');
  const { id } = webhook;
  if (part === 'health') return <WebhookHealth webhook={webhook} />;
  if (part === 'settings') return <WebhookSettings key={id} webhook={webhook} />;
  if (part === 'test')
    return (
      <>
        <TestEvent id={id} />
        <CertifyReceiver id={id} />
      </>
    );
  return (
    <>
      <RecentDeliveries id={id} />
      {canEdit && <Replays id={id} />}
    </>
  );
}
