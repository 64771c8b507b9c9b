import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import type { MovedReferral, ReferralRow, RewardSums } from '../../../data/types.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { useFormat } from '../../../ui/use-format.ts';
import { notify } from '../../../ui/notifications.ts';
import { useChangeForm } from '../../../ui/use-change-form.ts';
import { useFormRules } from '../../../ui/use-form-rules.ts';

const initialValues = { referrer: '', from_order_id: '', reason: '' };

/** Asks for the new referrer and why, shows what that changes, then changes it. Sent twice, it is done once. */
export function MoveDialog({ referral, onClose }: { referral: ReferralRow; onClose: () => void }) {
  const { t } = useTranslation();
  const { required } = useFormRules();
  const [key] = useState(() => crypto.randomUUID());
  const move = useSend('POST /referrals/:id/move', { id: referral.id });
  const request = ({ referrer, from_order_id: fromOrder, reason }: typeof initialValues) => ({
    ...{ referrer: referrer.trim(), reason, key },
    ...(fromOrder.trim() && { from_order_id: fromOrder.trim() }),
  });
  const { form, isUnsaved, submit, planned } = useChangeForm({
    initialValues,
    validate: { referrer: required, reason: required },
    plan: (values) => move.mutateAsync({ ...request(values), dry_run: true }),
    send: (values) => move.mutateAsync({ ...request(values), dry_run: false }),
    done: () => {
      notify(t('referrals.moved'));
      onClose();
    },
  });
  return (
    <FormDialog
      title={t('referrals.moveTitle')}
      actionLabel={t(planned ? 'referrals.move' : 'referrals.showMove')}
      submit={submit}
      isUnsaved={isUnsaved}
      onClose={onClose}
    >
      <Text>{t('referrals.moveText')}</Text>
      <TextInput
        label={t('referrals.newReferrer')}
        description={t('referrals.newReferrerHint')}
        required
        {...form.getInputProps('referrer')}
      />
      <TextInput
        label={t('referrals.fromOrderField')}
        description={t('referrals.fromOrderHint')}
        maxLength={255}
        {...form.getInputProps('from_order_id')}
      />
      <TextInput
        label={t('referrals.moveReason')}
        description={t('referrals.moveReasonHint')}
        required
        maxLength={1_000}
        {...form.getInputProps('reason')}
      />
      {planned && <Effects effects={planned} />}
    </FormDialog>
  );
}

function Effects({
  effects: { referrer_member_id: referrer, withdrawn, given },
}: {
  effects: MovedReferral;
}) {
  const { t } = useTranslation();
  const { amount } = useFormat();
  const textOf = (sums: RewardSums | null) => {
    if (!sums) return t('referrals.moveUnknown');
    if (sums.rewards === 0) return t('referrals.moveNothing');
    return sums.totals.map((total) => amount(total.amount, total.unit)).join(', ');
  };
  return (
    <div aria-live="polite">
      <Facts
        facts={[
          [t('referrals.movedTo'), referrer],
          [t('referrals.moveWithdraws'), textOf(withdrawn)],
          [t('referrals.moveGives'), textOf(given)],
        ]}
      />
    </div>
  );
}
