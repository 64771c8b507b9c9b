import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useSend } from '../../../data/use-send.ts';
import type { MergedMemberView } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { formErrors } from '../../../data/form-errors.ts';
import { useFormat } from '../../../ui/use-format.ts';
import { notify } from '../../../ui/notifications.ts';
import { useUnsaved } from '../../../ui/unsaved-changes.ts';
import { useFormRules } from '../../../ui/use-form-rules.ts';

/** Asks for the surviving member and why, shows what that changes, then merges. Sent twice, it is done once. */
export function MergeDialog({ memberId, onClose }: { memberId: string; onClose: () => void }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const { required } = useFormRules();
  const [key] = useState(() => crypto.randomUUID());
  const [effects, setEffects] = useState<MergedMemberView>();
  const merge = useSend('POST /members/:member_id/merge', { member_id: memberId });
  const form = useForm({
    initialValues: { into_member_id: '', reason: '' },
    validate: { into_member_id: required, reason: required },
    onValuesChange: () => setEffects(undefined),
  });
  useUnsaved(form.isDirty());
  const submit = form.onSubmit(({ into_member_id: into, reason }) =>
    merge.mutate(
      { into_member_id: into.trim(), reason, key, dry_run: !effects },
      {
        onSuccess: (merged) => {
          if (!effects) return setEffects(merged);
          notify(t('members.merged'));
          onClose();
          navigate(pathOf.member(merged.member_id));
        },
        onError: (error: Error) => form.setErrors(formErrors(error)),
      },
    ),
  );
  return (
    <FormDialog
      title={t('members.mergeTitle')}
      actionLabel={t(effects ? 'members.merge' : 'members.showMerge')}
      danger={effects !== undefined}
      pending={merge.isPending}
      error={merge.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Text>{t('members.mergeText', { member: memberId })}</Text>
      <TextInput
        label={t('members.mergeInto')}
        description={t('members.mergeIntoHint')}
        required
        maxLength={255}
        {...form.getInputProps('into_member_id')}
      />
      <TextInput
        label={t('corrections.reason')}
        description={t('members.mergeReasonHint')}
        required
        maxLength={1_000}
        {...form.getInputProps('reason')}
      />
      {effects && <Effects effects={effects} />}
    </FormDialog>
  );
}

function Effects({ effects }: { effects: MergedMemberView }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  return (
    <div aria-live="polite">
      <Facts
        facts={[
          [t('members.survivor'), effects.member_id],
          [t('members.ordersMoved'), number(effects.orders_moved)],
          [t('members.refereesMoved'), number(effects.referees_moved)],
          [t('members.referralEnds'), t(effects.ended_referral_id === null ? 'common.no' : 'common.yes')],
          [t('members.rewardsCancelled'), number(effects.rewards_cancelled)],
          [t('members.rewardsKept'), number(effects.rewards_kept)],
        ]}
      />
    </div>
  );
}
