import { useTranslation } from 'react-i18next';
import { useList } from '../../../data/use-read.ts';
import { pathOf } from '../../../app/paths.ts';
import { DataList } from '../../../ui/data-list.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Section } from '../../../ui/section.tsx';
import { TextLink } from '../../../ui/links.tsx';
import { deliveriesOfWebhookColumns } from '../deliveries/delivery-columns.tsx';

/** The newest deliveries of a webhook. */
export function RecentDeliveries({ id }: { id: string }) {
  const { t } = useTranslation();
  const deliveries = useList('GET /deliveries', { endpoint_id: id }, 3_000);
  return (
    <Section
      title={t('webhooks.recent')}
      actions={<TextLink to={`/deliveries?endpoint_id=${id}`}>{t('members.showAll')}</TextLink>}
      flush
    >
      <DataList
        caption={t('webhooks.recent')}
        rows={deliveries.rows?.slice(0, 10)}
        columns={deliveriesOfWebhookColumns}
        keyOf={(delivery) => delivery.id}
        linkOf={(delivery) => pathOf.delivery(delivery.id)}
        error={deliveries.error}
        empty={<EmptyState title={t('deliveries.empty')} text={t('webhooks.recentEmptyText')} />}
      />
    </Section>
  );
}
