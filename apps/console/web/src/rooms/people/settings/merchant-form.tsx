import { NumberInput, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import type { SessionView } from '../../../data/types.ts';
import { useRight, useSession } from '../../../app/session-context.ts';
import { Section } from '../../../ui/section.tsx';
import { SettingsForm } from '../../../ui/settings-form.tsx';
import { TimeZoneInput } from '../../../ui/time-zone-input.tsx';
import { useFormRules } from '../../../ui/use-form-rules.ts';
import { PendingContact } from './pending-contact.tsx';

interface Values {
  name: string;
  timezone: string;
  contact_email: string;
  manual_reward_limit: number | '';
}

const toValues = (merchant: SessionView['merchant']): Values => ({
  name: merchant.name,
  timezone: merchant.timezone,
  contact_email: merchant.contact_email_pending ?? merchant.contact_email ?? '',
  manual_reward_limit: merchant.manual_reward_limit,
});

const toRequest = ({ name, timezone, contact_email, manual_reward_limit }: Values) => ({
  name: name.trim(),
  timezone,
  contact_email: contact_email || null,
  manual_reward_limit: Number(manual_reward_limit),
});

/** The settings of the merchant. Owners can change them. */
export function MerchantForm() {
  const { t } = useTranslation();
  const rules = useFormRules();
  const { merchant } = useSession();
  const canManage = useRight('manage');
  const change = useSend('PATCH /merchant');
  return (
    <Section title={t('settings.merchant')} {...(canManage ? {} : { lead: t('settings.ownersOnly') })}>
      <SettingsForm
        stored={merchant}
        toValues={toValues}
        toRequest={toRequest}
        change={change}
        validate={{
          name: rules.required,
          contact_email: (email) => (email ? rules.email(email) : null),
          manual_reward_limit: (limit) => rules.required(String(limit)),
        }}
        labels={{
          name: t('fields.merchantName'),
          timezone: t('fields.timezone'),
          contact_email: t('settings.contact'),
          manual_reward_limit: t('settings.manualRewardLimit'),
        }}
        editable={canManage}
        maxWidth={480}
      >
        {(form) => (
          <>
            <TextInput label={t('fields.merchantName')} required {...form.getInputProps('name')} />
            <TimeZoneInput disabled={!canManage} {...form.getInputProps('timezone')} />
            <TextInput
              label={t('settings.contact')}
              description={t('settings.contactHint')}
              type="email"
              {...form.getInputProps('contact_email')}
            />
            {merchant.contact_email_pending !== null && (
              <PendingContact pending={merchant.contact_email_pending} current={merchant.contact_email} />
            )}
            <NumberInput
              label={t('settings.manualRewardLimit')}
              description={t('settings.manualRewardLimitHint')}
              required
              min={1}
              allowDecimal={false}
              thousandSeparator=","
              {...form.getInputProps('manual_reward_limit')}
            />
          </>
        )}
      </SettingsForm>
    </Section>
  );
}
