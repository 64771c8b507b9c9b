import { useTranslation } from 'react-i18next';

/** Says that a mail is on its way, in the same words whether the address has an account or not. */
export function CheckMail({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <div role="status">
      <p style={{ margin: '0 0 12px', overflowWrap: 'anywhere' }}>{text}</p>
      <p style={{ margin: 0, color: 'var(--ink-soft)' }}>{t('checkMail.nothing')}</p>
    </div>
  );
}
