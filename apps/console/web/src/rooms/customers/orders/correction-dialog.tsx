import { Alert, Checkbox, NativeSelect, NumberInput, SegmentedControl, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../data/api-error.ts';
import { useSendOneOf } from '../../../data/use-send.ts';
import type { CallOf } from '../../../data/use-send.ts';
import type { GrantRewardRequest, RejectionParameters, RewardListRow } from '../../../data/types.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { useFormat } from '../../../ui/use-format.ts';
import { notify } from '../../../ui/notifications.ts';
import { useChangeForm } from '../../../ui/use-change-form.ts';
import { useFormRules } from '../../../ui/use-form-rules.ts';

/** What a person corrects: they give a reward for an order, or change one that exists. */
export type Correction =
  | { kind: 'grant'; orderId: string; asksForOrder?: true }
  | { kind: 'adjust' | 'revoke'; reward: RewardListRow };

type CorrectionRoute =
  'POST /orders/:order_id/rewards' | 'POST /rewards/:reward_id/adjust' | 'POST /rewards/:reward_id/revoke';

type Values = Omit<GrantRewardRequest, 'amount' | 'another' | 'key'> & {
  order_id: string;
  amount: number | '';
};

/** Above this amount the form asks again before it is sent. */
const largeAmount = 100_000;

const initialValues: Omit<Values, 'order_id'> = {
  role: 'referee',
  type: 'points',
  unit: 'points',
  amount: '',
  reason: '',
  exceed_limits: false,
};

/** Asks what to change and why, then changes it. Sent twice, it is done once. */
export function CorrectionDialog({ correction, onClose }: { correction: Correction; onClose: () => void }) {
  const { t } = useTranslation();
  const { amount: amountText } = useFormat();
  const { required } = useFormRules();
  const [key] = useState(() => crypto.randomUUID());
  const correct = useSendOneOf<CorrectionRoute>();
  const { kind } = correction;
  const amountOf = (values: Values) => (kind === 'revoke' ? 0 : Number(values.amount));
  const { form, isUnsaved, submit, planned, refusal } = useChangeForm({
    initialValues: { ...initialValues, order_id: correction.kind === 'grant' ? correction.orderId : '' },
    validate: {
      order_id: (orderId) => (kind === 'grant' ? required(orderId) : null),
      amount: (amount) => (kind === 'revoke' || amount ? null : t('rules.required')),
      unit: (unit) => (kind === 'grant' ? required(unit) : null),
      reason: required,
    },
    // A large amount is repeated before it is sent.
    plan: (values) => (amountOf(values) > largeAmount ? Promise.resolve(true) : undefined),
    send: (values) =>
      correct.mutateAsync(requestOf(correction, { ...values, another: existing !== undefined }, key)),
    done: () => {
      notify(t(`corrections.${kind}Done`));
      onClose();
    },
    errorsAtFields: (error) => (existingOf(error) ? {} : undefined),
  });
  const existing = existingOf(refusal);
  const amount = amountOf(form.values);
  const unit = kind === 'grant' ? form.values.unit : correction.reward.unit;
  const actionLabel = () => {
    if (existing) return t('corrections.grantAnother');
    if (planned && kind !== 'revoke')
      return t(`corrections.${kind}Amount`, { amount: amountText(amount, unit) });
    return t(`corrections.${kind}`);
  };
  return (
    <FormDialog
      title={t(`corrections.${kind}Title`)}
      actionLabel={actionLabel()}
      danger={kind === 'revoke'}
      submit={submit}
      isUnsaved={isUnsaved}
      onClose={onClose}
    >
      <Text>{t(`corrections.${kind}Text`)}</Text>
      {correction.kind !== 'grant' && (
        <Text fw={560}>
          {t(`rewardRoles.${correction.reward.role}`)} {correction.reward.member_id}:{' '}
          {amountText(correction.reward.amount, correction.reward.unit)}
        </Text>
      )}
      {correction.kind === 'grant' && correction.asksForOrder && (
        <TextInput
          label={t('corrections.order')}
          description={t('corrections.orderHint')}
          required
          maxLength={255}
          {...form.getInputProps('order_id')}
        />
      )}
      {kind === 'grant' && <GrantFields form={form} />}
      {kind !== 'revoke' && (
        <NumberInput
          label={t(kind === 'adjust' ? 'corrections.newAmount' : 'rewards.amount')}
          required
          min={1}
          allowDecimal={false}
          thousandSeparator=","
          {...form.getInputProps('amount')}
        />
      )}
      <TextInput
        label={t('corrections.reason')}
        description={t('corrections.reasonHint')}
        required
        maxLength={1_000}
        {...form.getInputProps('reason')}
      />
      {kind !== 'revoke' && (
        <Checkbox
          label={t('corrections.exceedLimits')}
          description={t('corrections.exceedLimitsHint')}
          {...form.getInputProps('exceed_limits', { type: 'checkbox' })}
        />
      )}
      {(existing ?? planned) && (
        <Alert
          role="alert"
          variant="default"
          icon={<IconAlertTriangle aria-hidden color="var(--tone-warn)" />}
          styles={{ root: { borderColor: 'var(--tone-warn)', background: 'var(--tone-warn-soft)' } }}
        >
          {planned && <div>{t('corrections.checkAmount', { amount: amountText(amount, unit) })}</div>}
          {existing && <Existing existing={existing} amount={amount} unit={unit} />}
        </Alert>
      )}
    </FormDialog>
  );
}

type ExistingRewards = RejectionParameters['reward_exists'];

/** The rewards for which a grant was refused. */
function existingOf(error: Error | null): ExistingRewards | undefined {
  const reason = error instanceof ApiError ? error.reason : undefined;
  return reason?.code === 'reward_exists' ? reason.parameters : undefined;
}

/** The live rewards of the role, and what they come to with another one. */
function Existing({
  existing: { rewards, count, sums },
  amount,
  unit,
}: {
  existing: ExistingRewards;
  amount: number;
  unit: string;
}) {
  const { t } = useTranslation();
  const { amount: amountText } = useFormat();
  const others = sums.filter((sum) => sum.unit !== unit);
  const before = sums.find((sum) => sum.unit === unit)?.amount ?? 0;
  const sum = [{ unit, amount: before + amount }, ...others].map((one) => amountText(one.amount, one.unit));
  return (
    <>
      <div>{t('corrections.exists')}</div>
      <ul style={{ margin: '4px 0', paddingInlineStart: 20 }}>
        {rewards.map((reward) => (
          <li key={reward.id} style={{ overflowWrap: 'anywhere' }}>
            {amountText(reward.amount, reward.unit)} · {reward.id}
          </li>
        ))}
        {count > rewards.length && <li>{t('corrections.existMore', { count: count - rewards.length })}</li>}
      </ul>
      <Text fw={560}>{t('corrections.existsSum', { sum: sum.join(', ') })}</Text>
    </>
  );
}

function GrantFields({ form }: { form: UseFormReturnType<Values> }) {
  const { t } = useTranslation();
  const chooseType = (type: string) =>
    form.setValues({
      type: type as Values['type'],
      unit: type === 'points' ? 'points' : '',
    });
  return (
    <>
      <NativeSelect
        label={t('rewards.role')}
        data={(['referee', 'referrer'] as const).map((value) => ({
          value,
          label: t(`rewardRoles.${value}`),
        }))}
        {...form.getInputProps('role')}
      />
      <SegmentedControl
        aria-label={t('program.type')}
        data={(['points', 'coupon'] as const).map((value) => ({ value, label: t(`program.types.${value}`) }))}
        value={form.values.type}
        onChange={chooseType}
      />
      <TextInput
        label={t('program.unit')}
        description={t('program.unitHint')}
        required
        {...form.getInputProps('unit')}
      />
    </>
  );
}

/** The call that makes a correction. */
function requestOf(
  correction: Correction,
  { order_id: orderId, reason, exceed_limits, ...values }: Values & { another: boolean },
  key: string,
): CallOf<CorrectionRoute> {
  const amount = Number(values.amount);
  switch (correction.kind) {
    case 'grant':
      return {
        route: 'POST /orders/:order_id/rewards',
        input: { order_id: orderId.trim(), ...values, amount, reason, exceed_limits, key },
      };
    case 'adjust':
      return {
        route: 'POST /rewards/:reward_id/adjust',
        input: { reward_id: correction.reward.id, amount, reason, exceed_limits, key },
      };
    case 'revoke':
      return {
        route: 'POST /rewards/:reward_id/revoke',
        input: { reward_id: correction.reward.id, reason, key },
      };
  }
}
