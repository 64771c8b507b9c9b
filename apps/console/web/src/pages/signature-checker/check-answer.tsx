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
  const known = event ? t('signature.known', { type: event.type, id: event.id }) : t('signature.unknown');
  return (
    <Section
      title={answer.ok ? t('signature.right') : t('signature.wrong')}
      lead={known}
      actions={
        <Badge tone={answer.ok ? 'good' : 'bad'}>{answer.ok ? t('orders.passed') : t('orders.failed')}</Badge>
      }
      flush
    >
      <DataList
        caption={t('signature.results')}
        rows={answer.results}
        keyOf={({ header }) => header}
        empty={null}
        columns={[
          { header: t('signature.header'), cell: ({ header }) => <code>{header}</code> },
          {
            header: t('orders.outcome'),
            cell: ({ matches, why }) => (
              <Badge tone={matches ? 'good' : why === 'missing' ? 'idle' : 'bad'}>
                {t(`signature.verdicts.${why}.name`)}
              </Badge>
            ),
          },
          {
            header: t('signature.key'),
            cell: ({ key_id: id }) => (id ? <Identifier value={id} what={t('signature.key')} /> : '–'),
          },
          {
            header: t('signature.fix'),
            cell: ({ header, why }) =>
              (why === 'missing' && header === 'webhook-signature'
                ? t('signature.noTimestamp')
                : t(`signature.verdicts.${why}.fix`)) || '–',
          },
        ]}
      />
    </Section>
  );
}
