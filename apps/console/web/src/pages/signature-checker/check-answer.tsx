import { useTranslation } from 'react-i18next';
import type { SignatureCheckResponse } from '../../api/types.ts';
import { Badge } from '../../components/badge.tsx';
import { DataList } from '../../components/data-list.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Section } from '../../components/section.tsx';

/** What came of the check, header by header. */
export function CheckAnswer({ answer }: { answer: SignatureCheckResponse }) {
  const { t } = useTranslation();
  const { event } = answer;
  const known = event
    ? t('signatureChecker.known', { type: event.type, id: event.id })
    : t('signatureChecker.unknown');
  return (
    <Section
      title={answer.ok ? t('signatureChecker.valid') : t('signatureChecker.invalid')}
      lead={known}
      actions={
        <Badge tone={answer.ok ? 'good' : 'bad'}>
          {answer.ok ? t('signatureChecker.validBadge') : t('signatureChecker.invalidBadge')}
        </Badge>
      }
      flush
    >
      <DataList
        caption={t('signatureChecker.results')}
        rows={answer.results}
        keyOf={({ header }) => header}
        empty={null}
        columns={[
          { header: t('signatureChecker.header'), cell: ({ header }) => <code>{header}</code> },
          {
            header: t('signatureChecker.result'),
            cell: ({ matches, why }) => (
              <Badge tone={matches ? 'good' : why === 'missing' ? 'idle' : 'bad'}>
                {t(`signatureChecker.outcomes.${why}.name`)}
              </Badge>
            ),
          },
          {
            header: t('signatureChecker.key'),
            cell: ({ key_id: id }) => (id ? <Identifier value={id} name={t('signatureChecker.key')} /> : '–'),
          },
          {
            header: t('signatureChecker.fix'),
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
