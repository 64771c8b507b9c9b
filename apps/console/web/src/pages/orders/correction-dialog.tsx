import { Checkbox, NativeSelect, NumberInput, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCorrectReward } from '../../api/rewards.ts';
import type { GrantRewardRequest, RewardView } from '../../api/types.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { formErrors } from '../../errors/form-errors.ts';
import { useFormat } from '../../formatting/use-format.ts';
import { notify } from '../../hooks/notifications.ts';
import { useUnsaved } from '../../hooks/unsaved-changes.ts';
import { useFormRules } from '../../hooks/use-form-rules.ts';

/** What a person corrects: they give a reward for an order, or change one that exists. */
export type Correction =
  { kind: 'grant'; orderId: string } | { kind: 'adjust' | 'revoke'; reward: RewardView };

type Values = Omit<GrantRewardRequest, 'amount' | 'key'> & { amount: number | '' };

/** Asks what to change and why, then changes it. Sent twice, it is done once. */
export function CorrectionDialog({ correction, onClose }: { correction: Correction; onClose: () => void }) {
  const { t } = useTranslation();
  const { amount: amountText } = useFormat();
  const { required } = useFormRules();
  const [key] = useState(() => crypto.randomUUID());
  const correct = useCorrectReward();
  const { kind } = correction;
  const form = useForm<Values>({
    initialValues: {
      role: 'referee',
      type: 'points',
      unit: 'points',
      amount: '',
      reason: '',
      exceed_limits: false,
    },
    validate: {
      amount: (amount) => (kind === 'revoke' || amount ? null : t('rules.required')),
      unit: (unit) => (kind === 'grant' ? required(unit) : null),
      reason: required,
    },
  });
  useUnsaved(form.isDirty());
  const submit = form.onSubmit((values) =>
    correct.mutate(requestOf(correction, values, key), {
      onSuccess: () => {
        notify(t(`corrections.${kind}Done`));
        onClose();
      },
      onError: (error: Error) => form.setErrors(formErrors(error)),
    }),
  );
  return (
    <FormDialog
      title={t(`corrections.${kind}Title`)}
      actionLabel={t(`corrections.${kind}`)}
      danger={kind === 'revoke'}
      pending={correct.isPending}
      error={correct.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Text>{t(`corrections.${kind}Text`)}</Text>
      {correction.kind !== 'grant' && (
        <Text fw={560}>
          {t(`rewardRoles.${correction.reward.role}`)} {correction.reward.member_id}:{' '}
          {amountText(correction.reward.amount, correction.reward.unit)}
        </Text>
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
    </FormDialog>
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

/** The path and the body of a correction. */
function requestOf(correction: Correction, { reason, exceed_limits, ...values }: Values, key: string) {
  const amount = Number(values.amount);
  switch (correction.kind) {
    case 'grant':
      return {
        path: `/orders/${encodeURIComponent(correction.orderId)}/rewards`,
        body: { ...values, amount, reason, exceed_limits, key },
      };
    case 'adjust':
      return {
        path: `/rewards/${correction.reward.id}/adjust`,
        body: { amount, reason, exceed_limits, key },
      };
    case 'revoke':
      return { path: `/rewards/${correction.reward.id}/revoke`, body: { reason, key } };
  }
}
