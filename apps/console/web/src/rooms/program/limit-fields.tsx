import { NumberInput, Radio, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import classes from './rule-editor.module.css';
import type { RuleForm } from './rule-form.ts';

/** The conditions of an order, and the limits of rewards. */
export function LimitFields({ form }: { form: UseFormReturnType<RuleForm> }) {
  const { t } = useTranslation();
  const integer = { allowDecimal: false, thousandSeparator: ',' } as const;
  const none = t('program.noLimit');
  return (
    <div className={classes['limits']}>
      <NumberInput
        label={t('program.minimum')}
        description={t('program.minimumHint')}
        min={0}
        {...integer}
        {...form.getInputProps('minimumPaidAmount')}
      />
      <NumberInput
        label={t('program.window')}
        description={t('program.windowHint')}
        placeholder={none}
        min={0}
        max={3_650}
        {...form.getInputProps('windowDays')}
      />
      <NumberInput
        label={t('program.hold')}
        description={t('program.holdHint')}
        min={0}
        max={365}
        {...form.getInputProps('holdDays')}
      />
      <NumberInput
        label={t('program.capTotal')}
        description={t('program.capTotalHint')}
        placeholder={none}
        min={1}
        {...integer}
        {...form.getInputProps('referrerCap.total')}
      />
      <NumberInput
        label={t('program.capMonth')}
        description={t('program.capMonthHint')}
        placeholder={none}
        min={1}
        {...integer}
        {...form.getInputProps('referrerCap.month')}
      />
      <NumberInput
        label={t('program.budget')}
        description={t('program.budgetHint')}
        placeholder={none}
        min={1}
        {...integer}
        {...form.getInputProps('budget')}
      />
    </div>
  );
}

/** What a refund does, and orders from before the link. */
export function ChoiceFields({ form }: { form: UseFormReturnType<RuleForm> }) {
  const { t } = useTranslation();
  return (
    <div className={classes['sides']}>
      <Radio.Group
        label={t('program.refunds')}
        description={t('program.refundsHint')}
        {...form.getInputProps('refunds')}
      >
        <Stack gap="xs" mt={6}>
          {(['adjust', 'keep'] as const).map((choice) => (
            <Radio key={choice} value={choice} label={t(`program.refundChoices.${choice}`)} />
          ))}
        </Stack>
      </Radio.Group>
      <Radio.Group
        label={t('program.earlierOrders')}
        description={t('program.earlierOrdersHint')}
        {...form.getInputProps('earlierOrders')}
      >
        <Stack gap="xs" mt={6}>
          {(['ignore', 'count'] as const).map((choice) => (
            <Radio key={choice} value={choice} label={t(`program.earlierOrdersChoices.${choice}`)} />
          ))}
        </Stack>
      </Radio.Group>
    </div>
  );
}
