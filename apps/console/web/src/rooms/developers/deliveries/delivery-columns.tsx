import type { DeliveryListRow } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import type { Column, Columns } from '../../../ui/data-list.tsx';
import { DateTime, NextTime } from '../../../ui/date-time.tsx';
import { idColumn } from '../../../ui/id-column.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import type { Format } from '../../../ui/use-format.ts';
import { answerText } from './answer-text.ts';
import { ProgressBadge } from './progress-badge.tsx';
import classes from './delivery-columns.module.css';

/** The columns of a list of deliveries. A list of one webhook omits it. */
const columns =
  (withWebhook: boolean): Columns<DeliveryListRow> =>
  ({ t, amount }) => {
    const webhook: Column<DeliveryListRow> = {
      header: t('fields.webhook'),
      width: 140,
      cell: ({ endpoint_url: url, endpoint_id: id, webhook_label: label }) => (
        <Identifier value={url} label={label} name={t('fields.webhook')} to={pathOf.webhook(id)} />
      ),
    };
    return [
      { header: t('fields.state'), width: 146, cell: (row) => <State row={row} t={t} /> },
      {
        header: t('fields.event'),
        width: 104,
        cell: ({ id, event_type: type }) => (
          <div className={classes['lines']}>
            <code>{type}</code>
            <Identifier value={id} name={t('fields.delivery')} to={pathOf.delivery(id)} />
          </div>
        ),
      },
      {
        header: t('fields.member'),
        width: 84,
        cell: ({ member_id: id, amount: given, unit }) =>
          id === null ? (
            '–'
          ) : (
            <div className={classes['lines']}>
              <Identifier value={id} name={t('fields.member')} to={pathOf.member(id)} />
              {given !== null && unit !== null && (
                <span className={classes['next']}>{amount(given, unit)}</span>
              )}
            </div>
          ),
      },
      idColumn(t('fields.order'), ({ order_id: id }) => id, pathOf.order),
      ...(withWebhook ? [webhook] : []),
      {
        header: t('deliveries.lastResponse'),
        width: 70,
        cell: ({ last_status: status, last_error_class: error }) =>
          status === null && error === null ? '–' : answerText(t, String(status ?? error)),
      },
      { header: t('deliveries.attempts'), width: 58, cell: ({ attempts_made: made }) => made, end: true },
      {
        header: t('deliveries.created'),
        width: 100,
        cell: ({ created_at: at }) => <DateTime at={at} relative />,
      },
    ];
  };

/** The state of a delivery, and below it what it waits for, and when it is sent next. */
function State({
  row: { progress, waiting_for: wait, next_attempt_at: at },
  t,
}: {
  row: DeliveryListRow;
  t: Format['t'];
}) {
  const showsTime = at !== null && progress !== 'sending';
  return (
    <div>
      <ProgressBadge progress={progress} />
      {(wait !== null || showsTime) && (
        <div className={classes['next']}>
          {wait !== null && t(`deliveries.waits.${wait}`)}
          {wait !== null && showsTime && ' · '}
          {showsTime && <NextTime at={at} relative />}
        </div>
      )}
    </div>
  );
}

export const deliveryColumns = columns(true);
export const deliveriesOfWebhookColumns = columns(false);
