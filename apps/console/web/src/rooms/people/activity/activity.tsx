import { useTranslation } from 'react-i18next';
import { useAudit, useAuditFilters } from '../../../data/audit.ts';
import type { AuditFilter } from '../../../data/audit.ts';
import type { AuditActorView } from '../../../data/types.ts';
import { usePermissions } from '../../../app/session-context.ts';
import { PagedList } from '../../../ui/data-list.tsx';
import { DayRangeFilter } from '../../../ui/day-range-filter.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { FilterBar, FilterSelect } from '../../../ui/filters.tsx';
import { Page } from '../../../ui/page.tsx';
import { Section } from '../../../ui/section.tsx';
import { useDayRange } from '../../../ui/use-day-range.ts';
import { useQueryState } from '../../../ui/use-query-state.ts';
import { auditActionKey } from './audit-action-key.ts';
import { useAuditColumns } from './use-audit-columns.tsx';

/** Who did what in the merchant. Only owners can view it. */
export function Activity() {
  const { t } = useTranslation();
  const { canManage } = usePermissions();
  return (
    <Page title={t('nav.activity')} lead={t('audit.lead')}>
      {canManage ? (
        <Entries />
      ) : (
        <Section>
          <EmptyState title={t('audit.ownersOnly')} text={t('audit.ownersOnlyText')} />
        </Section>
      )}
    </Page>
  );
}

function Entries() {
  const { t } = useTranslation();
  const [get, set] = useQueryState();
  const offered = useAuditFilters().data ?? { actors: [], actions: [] };
  const actor = offered.actors.find((one) => valueOf(one) === get('actor'));
  const action = offered.actions.find((one) => one === get('action'));
  const filter: AuditFilter = {
    ...(actor ? { actor_kind: actor.kind } : {}),
    ...(actor?.name ? { actor: actor.name } : {}),
    ...(action ? { action } : {}),
    ...useDayRange(),
  };
  const entries = useAudit(filter);
  const labelOf = ({ kind, name }: AuditActorView) =>
    kind === 'user' ? (name ?? '') : [t(`audit.actors.${kind}`), ...(name === null ? [] : [name])].join(': ');
  const actors = offered.actors
    .map((one) => ({ value: valueOf(one), label: labelOf(one) }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const actions = offered.actions
    .map((value) => ({ value, label: t(`auditActions.${auditActionKey(value)}`) }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  return (
    <>
      <FilterBar>
        <FilterSelect
          label={t('audit.actor')}
          all={t('audit.allActors')}
          value={actor && valueOf(actor)}
          onChange={(value) => set({ actor: value })}
          options={actors}
        />
        <FilterSelect
          label={t('audit.action')}
          all={t('audit.allActions')}
          value={action}
          onChange={(value) => set({ action: value })}
          options={actions}
        />
        <DayRangeFilter />
      </FilterBar>
      <Section flush>
        <PagedList
          caption={t('nav.activity')}
          pages={entries}
          columns={useAuditColumns()}
          keyOf={({ id }) => id}
          empty={
            Object.keys(filter).length > 0 ? (
              <EmptyState title={t('common.noResults')} text={t('common.noMatches')} />
            ) : (
              <EmptyState title={t('audit.empty')} text={t('audit.emptyText')} />
            )
          }
        />
      </Section>
    </>
  );
}

/** An actor in the query of the URL. */
const valueOf = ({ kind, name }: AuditActorView) => (name === null ? kind : `${kind}:${name}`);
