import type { DeliveryRow } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import type { Column, Columns } from '../../../ui/data-list.tsx';
import { DateTime, NextTime } from '../../../ui/date-time.tsx';
import { idColumn } from '../../../ui/id-column.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';

/** The columns of a list of deliveries. A list of one webhook omits its URL. */
const columns =
  (withUrl: boolean): Columns<DeliveryRow> =>
  ({ t }) => {
    const url: Column<DeliveryRow> = {
      header: t('fields.webhook'),
      width: 95,
      cell: ({ endpoint_url: text, endpoint_id: id }) => (
        <Identifier
          value={text}
          label={text.replace(/^https?:\/\//, '')}
          name={t('fields.webhook')}
          to={pathOf.webhook(id)}
        />
      ),
    };
    return [
      idColumn(t('fields.delivery'), ({ id }) => id, pathOf.delivery),
      { header: t('fields.state'), width: 165, cell: ({ state }) => <StateBadge state={state} /> },
      { header: t('fields.event'), width: 105, cell: ({ event_type: type }) => <code>{type}</code> },
      ...(withUrl ? [url] : []),
      {
        header: t('deliveries.lastResponse'),
        width: 75,
        cell: ({ last_status: status, last_error_class: error }) => {
          if (status !== null) return `HTTP ${status}`;
          return error ? t(`attemptErrors.${error as 'dns'}`, { defaultValue: error }) : '–';
        },
      },
      { header: t('deliveries.attempts'), width: 68, cell: ({ attempts_made: made }) => made, end: true },
      {
        header: t('deliveries.created'),
        width: 110,
        cell: ({ created_at: at }) => <DateTime at={at} relative />,
      },
      {
        header: t('deliveries.next'),
        width: 100,
        cell: ({ next_attempt_at: at, state }) =>
          at && state === 'pending' ? <NextTime at={at} relative /> : '–',
      },
    ];
  };

export const deliveryColumns = columns(true);
export const deliveriesOfWebhookColumns = columns(false);
