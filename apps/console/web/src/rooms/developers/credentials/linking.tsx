import { Alert, NumberInput, Switch, TagsInput, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import type { LinkingView } from '../../../data/types.ts';
import { useRight } from '../../../app/session-context.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { DocsLink } from '../../../ui/docs-link.tsx';
import { Section } from '../../../ui/section.tsx';
import { SettingsForm } from '../../../ui/settings-form.tsx';
import { useFormRules } from '../../../ui/use-form-rules.ts';

const toValues = (linking: LinkingView) => ({ ...linking, landing_url: linking.landing_url ?? '' });

const toRequest = ({ landing_url, ...others }: ReturnType<typeof toValues>): LinkingView => ({
  ...others,
  landing_url: landing_url || null,
});

/** Where browsers may use the public key, and where share links lead. */
export function Linking({ linking }: { linking: LinkingView }) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const canEdit = useRight('integrate');
  const change = useSend('PUT /credentials/linking');
  return (
    <Section
      title={t('credentials.linking')}
      lead={t('credentials.linkingLead')}
      actions={<DocsLink to="linking#set-up" />}
    >
      <SettingsForm
        stored={linking}
        toValues={toValues}
        toRequest={toRequest}
        change={change}
        validate={{
          landing_url: (url: string) => (url ? rules.url(url) : null),
          allowed_origins: (origins: string[]) => {
            const wrong = origins.find((origin) => rules.url(origin) || new URL(origin).origin !== origin);
            return wrong === undefined ? null : t('credentials.badOrigin', { origin: wrong });
          },
        }}
        labels={{
          allowed_origins: t('credentials.origins'),
          landing_url: t('credentials.landing'),
          attribution_days: t('credentials.attribution'),
          require_user_hash: t('credentials.requireHash'),
        }}
        editable={canEdit}
        maxWidth={560}
      >
        {(form) => (
          <>
            <TagsInput
              label={
                <>
                  {t('credentials.origins')}{' '}
                  <CopyButton
                    value={form.values.allowed_origins.join(', ')}
                    name={t('credentials.origins')}
                  />
                </>
              }
              aria-label={t('credentials.origins')}
              description={t('credentials.originsHint')}
              placeholder="https://shop.example.com"
              disabled={!canEdit}
              {...form.getInputProps('allowed_origins')}
            />
            <TextInput
              label={t('credentials.landing')}
              description={t('credentials.landingHint')}
              placeholder="https://shop.example.com/welcome"
              type="url"
              {...form.getInputProps('landing_url')}
            />
            <NumberInput
              label={t('credentials.attribution')}
              description={t('credentials.attributionHint')}
              min={1}
              allowDecimal={false}
              maw={260}
              {...form.getInputProps('attribution_days')}
            />
            <Switch
              label={t('credentials.requireHash')}
              description={t('credentials.requireHashHint')}
              {...form.getInputProps('require_user_hash', { type: 'checkbox' })}
            />
            {!form.values.require_user_hash && (
              <Alert
                variant="default"
                icon={<IconAlertTriangle aria-hidden color="var(--tone-warn)" />}
                title={t('credentials.noHashTitle')}
                styles={{ root: { borderColor: 'var(--tone-warn)' } }}
              >
                {t('credentials.noHashText')}
              </Alert>
            )}
          </>
        )}
      </SettingsForm>
    </Section>
  );
}
