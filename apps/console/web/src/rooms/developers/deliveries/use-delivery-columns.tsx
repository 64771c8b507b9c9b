import { useTranslation } from 'react-i18next';
import type { DeliveryRow } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import type { Column } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import { NextTime } from '../../../ui/date-time.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';

/** The columns of a list of deliveries. A list of one webhook omits its URL. */
export function useDeliveryColumns(withUrl = true): Column<DeliveryRow>[] {
  const { t } = useTranslation();
  const url: Column<DeliveryRow> = {
    header: t('fields.webhook'),
    cell: ({ endpoint_url: text, endpoint_id: id }) => (
      <Identifier
        value={text}
        label={text.replace(/^https?:\/\//, '')}
        name={t('fields.webhook')}
        to={pathOf.webhook(id)}
      />
    ),
    width: 'narrow',
  };
  return [
    {
      header: t('fields.delivery'),
      cell: ({ id }) => <Identifier value={id} name={t('fields.delivery')} to={pathOf.delivery(id)} />,
      width: 'narrow',
    },
    { header: t('fields.state'), cell: ({ state }) => <StateBadge state={state} /> },
    { header: t('fields.event'), cell: ({ event_type: type }) => <code>{type}</code> },
    ...(withUrl ? [url] : []),
    {
      header: t('deliveries.lastResponse'),
      cell: ({ last_status: status, last_error_class: error }) => {
        if (status !== null) return <span style={{ whiteSpace: 'nowrap' }}>{`HTTP ${status}`}</span>;
        return error ? t(`attemptErrors.${error as 'dns'}`, { defaultValue: error }) : '–';
      },
    },
    { header: t('deliveries.attempts'), cell: ({ attempts_made: made }) => made, end: true },
    { header: t('deliveries.created'), cell: ({ created_at: at }) => <DateTime at={at} relative /> },
    {
      header: t('deliveries.next'),
      cell: ({ next_attempt_at: at, state }) =>
        at && state === 'pending' ? <NextTime at={at} relative /> : '–',
    },
  ];
}
