import { useMutation, useQuery } from '@tanstack/react-query';
import { change, read } from './request.ts';
import type {
  ProgramVersionView,
  ProgramView,
  PublishProgramRequest,
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
  useChange(
    (input: PublishProgramRequest) => change<ProgramVersionView>('POST', '/program', input),
    [['/program']],
  );
