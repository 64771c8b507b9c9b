import { useTranslation } from 'react-i18next';
import type { SigningKeyView } from '../../../data/types.ts';
import { useRight } from '../../../app/session-context.ts';
import { Badge } from '../../../ui/badge.tsx';
import { DataList } from '../../../ui/data-list.tsx';
import { DateTime } from '../../../ui/date-time.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { idColumn } from '../../../ui/id-column.tsx';
import { Section } from '../../../ui/section.tsx';
import { RevealedSecret } from './revealed-secret.tsx';

/** The keys that sign webhooks. Only the operator reissues and deletes them. */
export function SigningKeys({ keys }: { keys: SigningKeyView[] }) {
  const { t } = useTranslation();
  const canEdit = useRight('integrate');
  return (
    <Section title={t('credentials.signingKey')} lead={t('credentials.signingKeyLead')} flush>
      <DataList
        caption={t('credentials.signingKey')}
        rows={keys}
        keyOf={({ id }) => id}
        empty={<EmptyState title={t('credentials.noSigningKey')} text={t('credentials.noSigningKeyText')} />}
        columns={() => [
          idColumn<SigningKeyView>(t('credentials.keyId'), ({ id }) => id),
          { header: t('fields.state'), cell: (key) => <KeyState signingKey={key} /> },
          {
            header: t('credentials.secret'),
            width: 230,
            wraps: true,
            cell: ({ id }) =>
              canEdit ? (
                <RevealedSecret
                  secretOf={{ route: 'POST /credentials/signing-keys/:id/reveal', input: { id } }}
                  name={t('credentials.signingKey')}
                />
              ) : (
                t('credentials.secretsHidden')
              ),
          },
          {
            header: t('credentials.created'),
            width: 192,
            cell: ({ created_at: at }) => <DateTime at={at} />,
          },
          {
            header: t('credentials.expires'),
            width: 192,
            cell: ({ expires_at: at }) => (at ? <DateTime at={at} /> : t('credentials.never')),
          },
        ]}
      />
    </Section>
  );
}

function KeyState({ signingKey: { active, expires_at: expires } }: { signingKey: SigningKeyView }) {
  const { t } = useTranslation();
  if (active) return <Badge tone="good">{t('credentials.signs')}</Badge>;
  const over = expires !== null && new Date(expires).getTime() < Date.now();
  return over ? (
    <Badge tone="idle">{t('credentials.expired')}</Badge>
  ) : (
    <Badge tone="info">{t('credentials.alsoSigns')}</Badge>
  );
}
