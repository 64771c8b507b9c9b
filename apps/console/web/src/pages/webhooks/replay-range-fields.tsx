import { Checkbox, Group } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { NewReplayRequest } from '../../api/types.ts';
import { useSession } from '../../app/session-context.ts';
import { DayRangeInput } from '../../components/day-range-input.tsx';
import { startOfDay } from '../../formatting/format-time.ts';

/** Which deliveries are meant: those of some days, in these states. */
export function ReplayRangeFields({ form }: { form: UseFormReturnType<NewReplayRequest> }) {
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
