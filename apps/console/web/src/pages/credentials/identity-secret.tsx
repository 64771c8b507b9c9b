import { useTranslation } from 'react-i18next';
import { usePermissions } from '../../app/session-context.ts';
import { Section } from '../../components/section.tsx';
import { Revealed } from './revealed.tsx';

/** The secret that keys the `userHash` of the boot call. */
export function IdentitySecret() {
  const { t } = useTranslation();
  const { canEdit } = usePermissions();
  return (
    <Section title={t('credentials.identitySecret')} lead={t('credentials.identitySecretLead')}>
      {canEdit ? (
        <Revealed secretOf="identity-secret" what={t('credentials.identitySecret')} />
      ) : (
        t('credentials.secretsHidden')
      )}
    </Section>
  );
}
