import { Button } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { Section } from '../../../ui/section.tsx';

const CertifyReport = lazy(async () => ({ default: (await import('./certify-report.tsx')).CertifyReport }));

/** Checks the receiver with genuine and forged test events, and shows the report. */
export function CertifyReceiver({ id }: { id: string }) {
  const { t } = useTranslation();
  const certify = useSend('POST /webhooks/:id/certify', { id });
  const pending = certify.isPending;
  const soft = (text: string) => <span style={{ color: 'var(--ink-soft)' }}>{text}</span>;
  return (
    <Section
      title={t('webhooks.certify')}
      lead={t('webhooks.certifyLead')}
      actions={
        <Button
          variant="default"
          size="xs"
          leftSection={<IconShieldCheck size={15} aria-hidden />}
          loading={pending}
          onClick={() => certify.mutate()}
        >
          {t('webhooks.certifyAction')}
        </Button>
      }
    >
      <div aria-live="polite">
        <ErrorNotice error={certify.error} />
        {pending && soft(t('webhooks.certifyPending'))}
        {!pending && certify.data && (
          <Suspense fallback={soft(t('webhooks.certifyPending'))}>
            <CertifyReport report={certify.data} />
          </Suspense>
        )}
        {!pending && !certify.data && !certify.error && soft(t('webhooks.certifyNone'))}
      </div>
    </Section>
  );
}
