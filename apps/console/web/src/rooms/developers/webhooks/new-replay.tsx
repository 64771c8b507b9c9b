import { Checkbox, Group, NumberInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSendOneOf } from '../../../data/use-send.ts';
import type { DeliveryAnswer, NewReplayRequest, ReplayPreview } from '../../../data/types.ts';
import { useSession } from '../../../app/session-context.ts';
import { DayRangeInput } from '../../../ui/day-range-input.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { startOfDay } from '../../../ui/format-time.ts';
import { notify } from '../../../ui/notifications.ts';
import { useChangeForm } from '../../../ui/use-change-form.ts';
import { useFormat } from '../../../ui/use-format.ts';
import { answerText } from '../deliveries/answer-text.ts';

const initialValues: NewReplayRequest = {
  states: ['exhausted'],
  from: '',
  until: '',
  new_ids: false,
  per_minute: 60,
};

interface NewReplayProps {
  /** Null for all webhooks. */
  id: string | null;
  /** Answers to the last attempts of the deliveries; all without any. */
  answers?: DeliveryAnswer[];
  /** First and last day that are chosen when the dialog opens. */
  days?: [string, string] | undefined;
  /** Whether the list has filters that a replay has not. */
  hasOtherFilters?: boolean;
  onClose: () => void;
}

/** Selects deliveries of a webhook or of all, counts them and starts a replay. */
export function NewReplay({ id, answers = [], days, hasOtherFilters = false, onClose }: NewReplayProps) {
  const { t, number } = useFormat();
  const { timezone } = useSession().merchant;
  const preview = useSendOneOf<'POST /webhooks/:id/replays/preview' | 'POST /replays/preview'>();
  const start = useSendOneOf<'POST /webhooks/:id/replays' | 'POST /replays'>();
  const { form, isUnsaved, submit, planned } = useChangeForm({
    initialValues: { ...initialValues, ...(days && timesOf(days, timezone)), answers },
    validate: {
      states: (states) => (states.length === 0 ? t('replays.noStates') : null),
      from: (from) => (from ? null : t('rules.required')),
    },
    plan: ({ per_minute: _pace, ...range }) =>
      preview.mutateAsync(
        id === null
          ? { route: 'POST /replays/preview', input: range }
          : { route: 'POST /webhooks/:id/replays/preview', input: { id, ...range } },
      ),
    send: (values) =>
      start.mutateAsync(
        id === null
          ? { route: 'POST /replays', input: values }
          : { route: 'POST /webhooks/:id/replays', input: { id, ...values } },
      ),
    done: () => {
      notify(t('replays.started'));
      onClose();
    },
  });
  const actionLabel = () => {
    if (!planned) return t('replays.count');
    return planned.complete ? t('replays.start', { number: number(planned.count) }) : t('replays.startAll');
  };
  return (
    <FormDialog
      title={t('replays.add')}
      size="lg"
      actionLabel={actionLabel()}
      disabled={planned?.count === 0 && planned.complete}
      submit={submit}
      isUnsaved={isUnsaved}
      onClose={onClose}
    >
      {id === null && <p style={{ margin: 0 }}>{t('replays.ofAll')}</p>}
      {hasOtherFilters && <p style={{ margin: 0 }}>{t('replays.otherFilters')}</p>}
      <ReplayRangeFields form={form} chosen={days ?? [null, null]} />
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
        {planned && <Count preview={planned} />}
      </div>
    </FormDialog>
  );
}

/** How many deliveries are selected, and how many of them cannot be sent again. */
function Count({ preview: { count, complete, skipped } }: { preview: ReplayPreview }) {
  const { t, number } = useFormat();
  return (
    <>
      {t(complete ? 'replays.counted' : 'replays.countedAtLeast', { number: number(count) })}
      {Object.entries(skipped).map(([reason, left]) => (
        <div key={reason} style={{ fontWeight: 400, fontSize: 13, color: 'var(--ink-soft)' }}>
          {t(`replays.skipped.${reason as 'event_expired'}`, { number: number(left) })}
        </div>
      ))}
    </>
  );
}

const offered = ['3xx', '4xx', '5xx', 'none'] as const;

/** Days, both inclusive; null while none is chosen. */
type DayRange = [string | null, string | null];

const timesOf = ([from, to]: DayRange, timezone: string) => ({
  from: from && to ? startOfDay(from, timezone) : '',
  until: from && to ? startOfDay(to, timezone, 1) : '',
});

interface ReplayRangeFieldsProps {
  form: UseFormReturnType<NewReplayRequest>;
  /** When the dialog opens. */
  chosen: DayRange;
}

/** The deliveries to replay: their days, states and answers. */
function ReplayRangeFields({ form, chosen }: ReplayRangeFieldsProps) {
  const { t } = useTranslation();
  const { timezone } = useSession().merchant;
  const [days, setDays] = useState(chosen);
  const choose = (range: DayRange) => {
    setDays(range);
    form.setValues(timesOf(range, timezone));
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
      <Checkbox.Group
        label={t('replays.answers')}
        description={t('replays.answersHint')}
        {...form.getInputProps('answers')}
      >
        <Group mt={6}>
          {[...new Set<string>([...offered, ...(form.values.answers ?? [])])].map((answer) => (
            <Checkbox key={answer} value={answer} label={answerText(t, answer)} />
          ))}
        </Group>
      </Checkbox.Group>
    </>
  );
}
