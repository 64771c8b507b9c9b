import { useTranslation } from 'react-i18next';
import type { SignatureCheckResponse } from '../../../data/types.ts';
import { Badge } from '../../../ui/badge.tsx';
import { DataList } from '../../../ui/data-list.tsx';
import { DocsLink } from '../../../ui/docs-link.tsx';
import { idColumn } from '../../../ui/id-column.tsx';
import { Section } from '../../../ui/section.tsx';

type Check = SignatureCheckResponse['results'][number];

/** The result of a check by header. */
export function CheckResult({ result }: { result: SignatureCheckResponse }) {
  const { t } = useTranslation();
  const { event } = result;
  const known = event
    ? t('signatureChecker.known', { type: event.type, id: event.id })
    : t('signatureChecker.unknown');
  return (
    <Section
      title={result.ok ? t('signatureChecker.valid') : t('signatureChecker.invalid')}
      lead={known}
      actions={
        <>
          {!result.ok && <DocsLink to="webhooks#headers" label={t('signatureChecker.howToVerify')} />}
          <Badge tone={result.ok ? 'good' : 'bad'}>
            {result.ok ? t('signatureChecker.validBadge') : t('signatureChecker.invalidBadge')}
          </Badge>
        </>
      }
      flush
    >
      <DataList
        caption={t('signatureChecker.results')}
        rows={result.results}
        keyOf={({ header }) => header}
        empty={null}
        columns={() => [
          { header: t('signatureChecker.header'), width: 160, cell: ({ header }) => <code>{header}</code> },
          {
            header: t('signatureChecker.result'),
            wraps: true,
            cell: ({ matches, why }) => (
              <Badge tone={matches ? 'good' : why === 'missing' ? 'idle' : 'bad'}>
                {t(`signatureChecker.outcomes.${why}.name`)}
              </Badge>
            ),
          },
          idColumn<Check>(t('signatureChecker.key'), ({ key_id: id }) => id ?? null),
          {
            header: t('signatureChecker.fix'),
            width: 300,
            wraps: true,
            cell: ({ header, why }) =>
              (why === 'missing' && header === 'webhook-signature'
                ? t('signatureChecker.noTimestamp')
                : t(`signatureChecker.outcomes.${why}.fix`)) || '–',
          },
        ]}
      />
    </Section>
  );
}
