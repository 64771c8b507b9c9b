import type { DeliveryView } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import { DateTime } from '../../../ui/date-time.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import { NextTime } from '../../../ui/date-time.tsx';
import { Section } from '../../../ui/section.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import { useFormat } from '../../../ui/use-format.ts';

/** The details of a delivery, with the time and the reason of its next attempt. */
export function DeliveryFacts({ delivery }: { delivery: DeliveryView }) {
  const { t, amount } = useFormat();
  const {
    endpoint,
    event,
    next_attempt_at: nextAt,
    next_attempt_reason: why,
    order_id: orderId,
    member_id: memberId,
  } = delivery;
  return (
    <Section title={t('deliveries.about')}>
      <Facts
        facts={[
          [t('deliveries.id'), <Identifier value={delivery.id} name={t('fields.delivery')} wrap />],
          [t('fields.event'), <code>{event.type}</code>],
          [t('deliveries.eventId'), <Identifier value={event.id} name={t('deliveries.eventId')} wrap />],
          [
            t('fields.webhook'),
            <>
              <Identifier
                value={endpoint.url}
                {...(endpoint.name !== null && { label: endpoint.name })}
                name={t('fields.webhook')}
                to={pathOf.webhook(endpoint.id)}
                wrap
              />{' '}
              <StateBadge state={endpoint.status} />
            </>,
          ],
          [
            t('fields.order'),
            orderId ? (
              <Identifier value={orderId} name={t('fields.order')} to={pathOf.order(orderId)} />
            ) : undefined,
          ],
          [
            t('fields.member'),
            memberId ? (
              <Identifier value={memberId} name={t('fields.member')} to={pathOf.member(memberId)} />
            ) : undefined,
          ],
          [
            t('deliveries.amount'),
            delivery.amount !== null && delivery.unit !== null
              ? amount(delivery.amount, delivery.unit)
              : undefined,
          ],
          [t('deliveries.created'), <DateTime at={delivery.created_at} />],
          [
            t('deliveries.finished'),
            delivery.finished_at ? <DateTime at={delivery.finished_at} /> : undefined,
          ],
          [
            t('deliveries.replay'),
            delivery.replay_id ? (
              <Identifier value={delivery.replay_id} name={t('deliveries.replay')} />
            ) : undefined,
          ],
          [
            t('deliveries.next'),
            <div aria-live="polite">
              {nextAt && why !== 'paused' && why !== 'disabled' ? <NextTime at={nextAt} /> : null}
              <div style={{ fontSize: 13, color: 'var(--ink-soft)' }}>
                {why ? t(`deliveries.nextReason.${why}`) : t('deliveries.noNext')}
              </div>
            </div>,
          ],
        ]}
      />
    </Section>
  );
}
