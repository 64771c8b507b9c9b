import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSendOneOf } from '../../../data/use-send.ts';
import type { CallOf } from '../../../data/use-send.ts';
import type { MovedReferral, MoveReferralRequest, ReferralRow, RewardSums } from '../../../data/types.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { useFormat } from '../../../ui/use-format.ts';
import { notify } from '../../../ui/notifications.ts';
import { useChangeForm } from '../../../ui/use-change-form.ts';
import { useFormRules } from '../../../ui/use-form-rules.ts';

type MoveRoute = 'POST /referrals/:id/move' | 'POST /members/:member_id/referrer';

type Values = Omit<MoveReferralRequest, 'from_order_id' | 'key' | 'dry_run'> & { from_order_id: string };

/** What gets another referrer: a referral, or a member, who may have none yet. */
export type MoveTarget = { referral: ReferralRow } | { memberId: string; isLinked: boolean };

interface MoveDialogProps {
  target: MoveTarget;
  /** An order that came from the referrer. */
  fromOrderId?: string;
  onClose: () => void;
}

/** Asks for the new referrer and why, shows what that changes, then changes it. Sent twice, it is done once. */
export function MoveDialog({ target, fromOrderId = '', onClose }: MoveDialogProps) {
  const { t } = useTranslation();
  const isLinked = 'referral' in target || target.isLinked;
  const kind = isLinked ? 'change' : 'set';
  const { required } = useFormRules();
  const [key] = useState(() => crypto.randomUUID());
  const sending = useSendOneOf<MoveRoute>();
  const move = (values: Values, isDryRun: boolean) =>
    sending.mutateAsync(requestOf(target, { ...values, key, dry_run: isDryRun }));
  const { form, isUnsaved, submit, planned } = useChangeForm({
    initialValues: { referrer: '', from_order_id: fromOrderId, reason: '' },
    validate: { referrer: required, reason: required },
    plan: (values) => move(values, true),
    send: (values) => move(values, false),
    done: () => {
      notify(t(`referrer.${kind}.done`));
      onClose();
    },
  });
  return (
    <FormDialog
      title={t(`referrer.${kind}.title`)}
      actionLabel={t(planned ? `referrer.${kind}.action` : 'referrals.showMove')}
      submit={submit}
      isUnsaved={isUnsaved}
      onClose={onClose}
    >
      <Text>{t(`referrer.${kind}.text`)}</Text>
      <TextInput
        label={t(`referrer.${kind}.referrer`)}
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

/** The call that changes the referrer, or says what that would change. */
function requestOf(
  target: MoveTarget,
  { referrer, from_order_id: fromOrder, ...rest }: Values & Pick<MoveReferralRequest, 'key' | 'dry_run'>,
): CallOf<MoveRoute> {
  const input = {
    ...{ ...rest, referrer: referrer.trim() },
    ...(fromOrder.trim() && { from_order_id: fromOrder.trim() }),
  };
  return 'referral' in target
    ? { route: 'POST /referrals/:id/move', input: { id: target.referral.id, ...input } }
    : { route: 'POST /members/:member_id/referrer', input: { member_id: target.memberId, ...input } };
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
