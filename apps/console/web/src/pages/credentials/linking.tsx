import { Alert, Button, NumberInput, Stack, Switch, TagsInput, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useChangeLinking } from '../../api/credentials.ts';
import type { LinkingView } from '../../api/types.ts';
import { usePermissions } from '../../app/session-context.ts';
import { EditConflictNotice } from '../../components/edit-conflict-notice.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formErrors } from '../../errors/form-errors.ts';
import { notify } from '../../hooks/notifications.ts';
import { Section } from '../../components/section.tsx';
import { useFormRules } from '../../hooks/use-form-rules.ts';
import { useSavedForm } from '../../hooks/use-saved-form.ts';

const settingsOf = (linking: LinkingView) => ({ ...linking, landing_url: linking.landing_url ?? '' });

const fieldsOf = ({ landing_url, ...others }: ReturnType<typeof settingsOf>) => ({
  ...others,
  landing_url: landing_url || null,
});

/** What browsers may do with the public key, and where share links lead. */
export function Linking({ linking }: { linking: LinkingView }) {
  const { t } = useTranslation();
  const rules = useFormRules();
  const { canEdit } = usePermissions();
  const change = useChangeLinking();
  const { form, base, conflict, accept, discard } = useSavedForm(settingsOf(linking), {
    saving: change.isPending,
    validate: {
      landing_url: (url: string) => (url ? rules.url(url) : null),
      allowed_origins: (origins: string[]) => {
        const wrong = origins.find((origin) => rules.url(origin) || new URL(origin).origin !== origin);
        return wrong === undefined ? null : t('credentials.badOrigin', { origin: wrong });
      },
    },
  });
  const save = form.onSubmit((values) =>
    change.mutate(
      { ...fieldsOf(values), base: fieldsOf(base) },
      {
        onSuccess: (saved) => {
          accept(settingsOf(saved));
          notify(t('common.saved'));
        },
        // A bad element (`allowed_origins[0]`) is shown at its field.
        onError: (error) =>
          form.setErrors(
            Object.fromEntries(
              Object.entries(formErrors(error)).map(([path, problem]) => [
                path.split(/[[.]/)[0] ?? path,
                problem,
              ]),
            ),
          ),
      },
    ),
  );
  const show = (value: string | number | boolean | string[]) =>
    typeof value === 'boolean'
      ? t(value ? 'common.yes' : 'common.no')
      : Array.isArray(value)
        ? value.join(', ')
        : String(value);
  return (
    <Section title={t('credentials.linking')} lead={t('credentials.linkingLead')}>
      <form onSubmit={save} noValidate>
        <fieldset disabled={!canEdit} style={{ border: 0, margin: 0, padding: 0, maxWidth: 560 }}>
          <Stack gap="md">
            <ErrorNotice error={change.error} />
            {conflict && (
              <EditConflictNotice
                title={t('editConflict.title')}
                fields={(
                  [
                    ['allowed_origins', t('credentials.origins')],
                    ['landing_url', t('credentials.landing')],
                    ['attribution_days', t('credentials.attribution')],
                    ['require_user_hash', t('credentials.requireHash')],
                  ] as const
                ).map(([field, name]) => ({
                  name,
                  before: show(conflict.before[field]),
                  now: show(conflict.now[field]),
                }))}
                discard={discard}
              />
            )}
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
            {canEdit && (
              <Button type="submit" loading={change.isPending} w="fit-content">
                {t('common.save')}
              </Button>
            )}
          </Stack>
        </fieldset>
      </form>
    </Section>
  );
}
