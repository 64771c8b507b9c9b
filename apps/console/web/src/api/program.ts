import { useMutation, useQuery } from '@tanstack/react-query';
import { change, read } from './request.ts';
import type {
  ProgramRule,
  ProgramVersionView,
  ProgramView,
  SimulateRequest,
  SimulationView,
} from './types.ts';
import { useChange } from './use-change.ts';

export function useProgram() {
  return useQuery({ queryKey: ['/program'], queryFn: () => read<ProgramView>('/program') });
}

export function useSimulate() {
  return useMutation({
    mutationFn: (input: SimulateRequest) => change<SimulationView>('POST', '/program/simulate', input),
  });
}

export const usePublish = () =>
  useChange((rule: ProgramRule) => change<ProgramVersionView>('POST', '/program', { rule }), [['/program']]);
