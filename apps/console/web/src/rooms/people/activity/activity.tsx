import { useTranslation } from 'react-i18next';
import { useList, useRead } from '../../../data/use-read.ts';
import type { AuditActorRow } from '../../../data/types.ts';
import { useRight } from '../../../app/session-context.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ListPage } from '../../../ui/list-page.tsx';
import { Page } from '../../../ui/page.tsx';
import { Section } from '../../../ui/section.tsx';
import { choice, useFilters } from '../../../ui/use-filters.tsx';
import { auditActionKey } from './audit-action-key.ts';
import { auditColumns } from './audit-columns.tsx';

/** Who did what in the merchant. Those who are not owners see no sign-ins. */
export function Activity() {
  const { t } = useTranslation();
  const canView = useRight('activity');
  if (canView) return <Entries />;
  return (
    <Page title={t('nav.activity')} lead={t('audit.lead')}>
      <Section>
        <EmptyState title={t('audit.hidden')} text={t('audit.hiddenText')} />
      </Section>
    </Page>
  );
}

function Entries() {
  const { t } = useTranslation();
  const seesAll = useRight('manage');
  const { actors, actions } = useRead('GET /audit/filters').data ?? { actors: [], actions: [] };
  const labelOf = ({ kind, name }: AuditActorRow) =>
    kind === 'user' ? (name ?? '') : [t(`audit.actors.${kind}`), ...(name === null ? [] : [name])].join(': ');
  const labels = new Map(actors.map((actor) => [valueOf(actor), labelOf(actor)]));
  const actionText = (action: (typeof actions)[number]) => t(`auditActions.${auditActionKey(action)}`);
  const filters = useFilters(
    {
      actor: choice({
        label: t('audit.actor'),
        all: t('audit.allActors'),
        values: [...labels.keys()],
        textOf: (value) => labels.get(value) ?? value,
      }),
      action: choice({
        label: t('audit.action'),
        all: t('audit.allActions'),
        values: actions,
        textOf: actionText,
      }),
    },
    { days: true },
  );
  const { actor: chosen, ...query } = filters.query;
  const actor = actors.find((one) => valueOf(one) === chosen);
  const entries = useList(
    'GET /audit',
    {
      ...query,
      ...(actor && { actor_kind: actor.kind }),
      ...(actor?.name && { actor: actor.name }),
    },
    10_000,
  );
  return (
    <ListPage
      title={t('nav.activity')}
      lead={t(seesAll ? 'audit.lead' : 'audit.changesLead')}
      filters={filters}
      pages={entries}
      columns={auditColumns}
      empty={{ title: t('audit.empty'), text: t('audit.emptyText') }}
    />
  );
}

/** An actor in the query of the URL. */
const valueOf = ({ kind, name }: AuditActorRow) => (name === null ? kind : `${kind}:${name}`);
