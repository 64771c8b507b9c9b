import { useTranslation } from 'react-i18next';
import { useRead } from '../../../data/use-read.ts';
import { usePathId } from '../../../app/paths.ts';
import { useRight } from '../../../app/session-context.ts';
import { ProblemNotices } from '../../../app/problem-notices.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Page } from '../../../ui/page.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import { CertifyReceiver } from './certify-receiver.tsx';
import { EarlierRewards } from './earlier-rewards.tsx';
import { RecentDeliveries } from './recent-deliveries.tsx';
import { Replays } from './replays.tsx';
import { TestEvent } from './test-event.tsx';
import { WebhookHealth } from './webhook-health.tsx';
import { WebhookNotice } from './webhook-notice.tsx';
import { WebhookSettings } from './webhook-settings.tsx';
import { PauseButton } from './pause-button.tsx';

/** One webhook: its health, its deliveries and its settings. */
export function Webhook() {
  const { t } = useTranslation();
  const id = usePathId();
  const query = useRead('GET /webhooks/:id', { id }, { refetchInterval: 3_000 });
  const canEdit = useRight('integrate');
  return (
    <Page
      docs="webhooks#retries"
      title={query.data?.url ?? t('fields.webhook')}
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
            <WebhookHealth webhook={webhook} />
            {canEdit && <TestEvent id={webhook.id} />}
            {canEdit && <CertifyReceiver id={webhook.id} />}
            <RecentDeliveries id={webhook.id} />
            {canEdit && <Replays id={webhook.id} />}
            <WebhookSettings key={webhook.id} webhook={webhook} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
