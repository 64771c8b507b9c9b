import { Button, Checkbox, Group, Modal, NumberInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import type { NewReplayRequest } from '../../../data/types.ts';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { formErrors } from '../../../data/form-errors.ts';
import { notify } from '../../../ui/notifications.ts';
import { useUnsaved } from '../../../ui/unsaved-changes.ts';
import { useFormat } from '../../../ui/use-format.ts';
import type { UseFormReturnType } from '@mantine/form';
import { useSession } from '../../../app/session-context.ts';
import { DayRangeInput } from '../../../ui/day-range-input.tsx';
import { startOfDay } from '../../../ui/format-time.ts';

/** Selects deliveries, counts them and starts a replay. */
export function NewReplay({ id, opened, onClose }: { id: string; opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const preview = useSend('POST /webhooks/:id/replays/preview', { id });
  const start = useSend('POST /webhooks/:id/replays', { id });
  const form = useForm<NewReplayRequest>({
    initialValues: { states: ['exhausted'], from: '', until: '', new_ids: false, per_minute: 60 },
    validate: {
      states: (states) => (states.length === 0 ? t('replays.noStates') : null),
      from: (from) => (from ? null : t('rules.required')),
    },
  });
  useUnsaved(opened && form.isDirty());
  const { states, from, until, new_ids: newIds } = form.values;
  // A count is valid for its selection only.
  useEffect(() => preview.reset(), [states, from, until, newIds]);
  const count = preview.data?.count;
  const complete = preview.data?.complete ?? true;
  const submit = form.onSubmit(({ new_ids, per_minute, ...range }) => {
    const onError = (error: Error) => form.setErrors(formErrors(error));
    if (count === undefined) return preview.mutate({ ...range, new_ids }, { onError });
    return start.mutate(
      { ...range, new_ids, per_minute },
      {
        onError,
        onSuccess: () => {
          notify(t('replays.started'));
          preview.reset();
          onClose();
        },
      },
    );
  });
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('replays.add')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <ErrorNotice error={preview.error ?? start.error} />
          <ReplayRangeFields form={form} />
          <NumberInput
            label={t('replays.perMinute')}
            description={t('replays.perMinuteHint')}
            min={1}
            max={60_000}
            allowDecimal={false}
            {...form.getInputProps('per_minute')}
          />
          <Checkbox
            label={t('replays.useNewIds')}
            description={t('replays.useNewIdsHint')}
            {...form.getInputProps('new_ids', { type: 'checkbox' })}
          />
          <div role="status" style={{ fontWeight: 560 }}>
            {count !== undefined &&
              t(complete ? 'replays.counted' : 'replays.countedAtLeast', { number: number(count) })}
            {Object.entries(preview.data?.skipped ?? {}).map(([reason, left]) => (
              <div key={reason} style={{ fontWeight: 400, fontSize: 13, color: 'var(--ink-soft)' }}>
                {t(`replays.skipped.${reason as 'event_expired'}`, { number: number(left) })}
              </div>
            ))}
          </div>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            {count === undefined ? (
              <Button type="submit" loading={preview.isPending}>
                {t('replays.count')}
              </Button>
            ) : (
              <Button type="submit" loading={start.isPending} disabled={count === 0 && complete}>
                {complete ? t('replays.start', { number: number(count) }) : t('replays.startAll')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** The deliveries to replay: their days and states. */
function ReplayRangeFields({ form }: { form: UseFormReturnType<NewReplayRequest> }) {
  const { t } = useTranslation();
  const { timezone } = useSession().merchant;
  const [days, setDays] = useState<[string | null, string | null]>([null, null]);
  const choose = (chosen: [string | null, string | null]) => {
    setDays(chosen);
    const [from, to] = chosen;
    form.setValues({
      from: from && to ? startOfDay(from, timezone) : '',
      until: from && to ? startOfDay(to, timezone, 1) : '',
    });
  };
  return (
    <>
      <DayRangeInput
        label={t('replays.days')}
        description={t('replays.daysHint', { timezone })}
        placeholder={t('replays.chooseDays')}
        required
        value={days}
        onChange={choose}
        error={form.errors['from'] ?? form.errors['until']}
      />
      <Checkbox.Group label={t('replays.states')} required {...form.getInputProps('states')}>
        <Group mt={6}>
          {(['exhausted', 'held', 'cancelled', 'delivered'] as const).map((state) => (
            <Checkbox key={state} value={state} label={t(`states.${state}`)} />
          ))}
        </Group>
      </Checkbox.Group>
    </>
  );
}
