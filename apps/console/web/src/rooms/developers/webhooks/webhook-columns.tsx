import type { WebhookView } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import type { Columns } from '../../../ui/data-list.tsx';
import { NextTime } from '../../../ui/date-time.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';

/** The columns of the list of webhooks. */
export const webhookColumns: Columns<WebhookView> = ({ t, number, percent, milliseconds }) => [
  {
    header: t('fields.webhook'),
    width: 260,
    cell: ({ url, name, id }) => (
      <Identifier
        value={url}
        {...(name !== null && { label: name })}
        name={t('fields.url')}
        to={pathOf.webhook(id)}
      />
    ),
  },
  {
    header: t('fields.state'),
    width: 140,
    wraps: true,
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
    width: 150,
    wraps: true,
    cell: ({ event_types: types }) => (
      <span style={{ display: 'inline-flex', flexWrap: 'wrap', gap: '2px 10px', justifyContent: 'inherit' }}>
        {types.map((type) => (
          <code key={type}>{type}</code>
        ))}
      </span>
    ),
  },
  {
    header: t('webhooks.success'),
    width: 90,
    cell: ({ health }) => (health.success_rate === null ? '–' : percent(health.success_rate)),
    end: true,
  },
  {
    header: t('webhooks.p95Short'),
    width: 76,
    cell: ({ health }) => (health.p95_ms === null ? '–' : milliseconds(health.p95_ms)),
    end: true,
  },
  {
    header: t('webhooks.waiting'),
    width: 70,
    cell: ({ waiting, held }) => number(waiting + held),
    end: true,
  },
];
