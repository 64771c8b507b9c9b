import { Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSendOneOf } from '../../../data/use-send.ts';
import { ConfirmButton } from '../../../ui/confirm-button.tsx';
import { notify } from '../../../ui/notifications.ts';

/** Accepts or rejects a referral that needs review. */
export function ReviewButtons({ referralId }: { referralId: string }) {
  const { t } = useTranslation();
  const review = useSendOneOf<`POST /referrals/:id/${'accept' | 'reject'}`>();
  const decide = (decision: 'accept' | 'reject') => async () => {
    await review.mutateAsync({ route: `POST /referrals/:id/${decision}`, input: { id: referralId } });
    notify(t(`referrals.${decision}ed`));
  };
  return (
    <Group gap="xs">
      <ConfirmButton
        label={t('referrals.accept')}
        title={t('referrals.acceptTitle')}
        text={t('referrals.acceptText')}
        actionLabel={t('referrals.accept')}
        run={decide('accept')}
      />
      <ConfirmButton
        label={t('referrals.reject')}
        title={t('referrals.rejectTitle')}
        text={t('referrals.rejectText')}
        actionLabel={t('referrals.reject')}
        danger
        run={decide('reject')}
      />
    </Group>
  );
}
