import { Group, NumberInput, SegmentedControl, Stack, Switch, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { RuleForm } from './rule-form.ts';

/** The benefit of one role of a referral. */
export function BenefitFields({
  form,
  side,
}: {
  form: UseFormReturnType<RuleForm>;
  side: 'referee' | 'referrer';
}) {
  const { t } = useTranslation();
  const { given, kind } = form.values[side];
  return (
    <fieldset
      style={{ border: '1px solid var(--line)', borderRadius: 10, padding: 16, margin: 0, minWidth: 0 }}
    >
      <legend style={{ padding: '0 6px', fontWeight: 600 }}>{t(`program.${side}`)}</legend>
      <Stack gap="md">
        <Switch
          label={t('program.gives')}
          description={t(`program.${side}Hint`)}
          {...form.getInputProps(`${side}.given`, { type: 'checkbox' })}
        />
        {given && (
          <>
            <Group grow align="flex-start" preventGrowOverflow={false}>
              <SegmentedControl
                aria-label={t('program.type')}
                data={(['points', 'coupon'] as const).map((value) => ({
                  value,
                  label: t(`program.types.${value}`),
                }))}
                {...form.getInputProps(`${side}.type`)}
              />
              <SegmentedControl
                aria-label={t('program.kind')}
                data={(['fixed', 'percent'] as const).map((value) => ({
                  value,
                  label: t(`program.kinds.${value}`),
                }))}
                {...form.getInputProps(`${side}.kind`)}
              />
            </Group>
            <TextInput
              label={t('program.unit')}
              description={t('program.unitHint')}
              {...form.getInputProps(`${side}.unit`)}
            />
            {kind === 'fixed' ? (
              <NumberInput
                label={t('program.value')}
                min={0}
                allowDecimal={false}
                thousandSeparator=","
                {...form.getInputProps(`${side}.value`)}
              />
            ) : (
              <Group grow align="flex-end">
                <NumberInput
                  label={t('program.rate')}
                  suffix=" %"
                  min={0}
                  max={100}
                  decimalScale={2}
                  {...form.getInputProps(`${side}.rate`)}
                />
                <NumberInput
                  label={t('program.cap')}
                  placeholder={t('program.noLimit')}
                  min={1}
                  allowDecimal={false}
                  thousandSeparator=","
                  {...form.getInputProps(`${side}.cap`)}
                />
              </Group>
            )}
          </>
        )}
      </Stack>
    </fieldset>
  );
}
