import { useTranslation } from 'react-i18next';
import { useMay } from '../../app/session-context.ts';
import { Section } from '../../parts/section.tsx';
import { Revealed } from './revealed.tsx';

/** The secret that keys the `userHash` of the boot call. */
export function IdentitySecret() {
  const { t } = useTranslation();
  const may = useMay();
  return (
    <Section title={t('credentials.identitySecret')} lead={t('credentials.identitySecretLead')}>
      {may.write ? (
        <Revealed secretOf="identity-secret" what={t('credentials.identitySecret')} />
      ) : (
        t('credentials.mayNotSee')
      )}
    </Section>
  );
}
