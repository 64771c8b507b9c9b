import { useQuery } from '@tanstack/react-query';
import { read } from './request.ts';
import type { AuditEntryView, AuditFilters, AuditQuery } from './types.ts';
import { usePages } from './use-pages.ts';

export type AuditFilter = Omit<AuditQuery, 'after' | 'limit'>;

export const useAudit = (filter: AuditFilter) => usePages<AuditEntryView>('/audit', filter, 10_000);

/** What the filters offer. */
export const useAuditFilters = () =>
  useQuery({ queryKey: ['/audit/filters'], queryFn: () => read<AuditFilters>('/audit/filters') });
