import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import type { RetryPlan } from '../../../data/types.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { notify } from '../../../ui/notifications.ts';
import { useFormat } from '../../../ui/use-format.ts';
import classes from './retry-selected.module.css';

/** The bar of the selected deliveries: it shows what a retry would do with each before it is sent. */
export function RetrySelected({ ids, most, clear }: { ids: string[]; most: number; clear: () => void }) {
  const { t, number } = useFormat();
  const plan = useSend('POST /deliveries/retry');
  const retry = useSend('POST /deliveries/retry');
  const planned = plan.data?.items;
  const retried = planned?.filter(({ does }) => does !== 'refused').length ?? 0;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    retry.mutate(
      { ids },
      {
        onSuccess: ({ items }) => {
          notify(
            t('deliveries.retriedMany', {
              number: number(items.filter(({ does }) => does !== 'refused').length),
            }),
          );
          plan.reset();
          clear();
        },
      },
    );
  };
  return (
    <div className={classes['bar']} role="region" aria-label={t('deliveries.selection')}>
      <span role="status">
        {t(ids.length < most ? 'deliveries.selected' : 'deliveries.selectedMost', {
          number: number(ids.length),
        })}
      </span>
      <Button variant="default" size="xs" onClick={clear}>
        {t('deliveries.clearSelection')}
      </Button>
      <Button
        size="xs"
        leftSection={<IconRefresh size={15} aria-hidden />}
        onClick={() => plan.mutate({ ids, dry_run: true })}
      >
        {t('deliveries.retrySelected')}
      </Button>
      {!plan.isIdle && (
        <FormDialog
          title={t('deliveries.retrySelected')}
          actionLabel={
            planned ? t('deliveries.retryNumber', { number: number(retried) }) : t('deliveries.retrySelected')
          }
          disabled={retried === 0}
          submit={{
            onSubmit,
            isPending: plan.isPending || retry.isPending,
            error: plan.error ?? retry.error,
          }}
          onClose={() => {
            plan.reset();
            retry.reset();
          }}
        >
          <div role="status">{planned && <Plan items={planned} />}</div>
        </FormDialog>
      )}
    </div>
  );
}

/** What the retry does, with the number of deliveries of each kind. */
function Plan({ items }: RetryPlan) {
  const { number } = useFormat();
  const { t } = useTranslation();
  const counts = new Map<string, number>();
  for (const { does, refusal } of items) {
    const kind = does === 'refused' ? (refusal ?? 'not_found') : does;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return (
    <ul className={classes['plan']}>
      {[...counts].map(([kind, count]) => (
        <li key={kind}>{t(`deliveries.plan.${kind as 'now'}`, { number: number(count) })}</li>
      ))}
    </ul>
  );
}
