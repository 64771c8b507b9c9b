import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { change, read } from './request.ts';
import type { ProgramVersionView, SampleView, TestDataView } from './types.ts';
import { useChange } from './use-change.ts';

const deletionKey = ['/test-data'];

/** Whether the data of the test side is being deleted. Read again every second while it is. */
export function useTestData() {
  return useQuery({
    queryKey: deletionKey,
    queryFn: () => read<TestDataView>('/test-data'),
    refetchInterval: ({ state }) => (state.data?.deleting_since ? 1_000 : false),
  });
}

export const useDeleteTestData = () =>
  useChange(() => change<TestDataView>('DELETE', '/test-data'), [deletionKey]);

const sampleKey = (orderId: string) => ['/samples', orderId];

/** Creates a sample: two members, their referral and a paid order. */
export function useCreateSample() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => change<SampleView>('POST', '/samples'),
    onSuccess: (sample) => client.setQueryData(sampleKey(sample.order_id), sample),
  });
}

const finalSteps: SampleView['step'][] = ['done', 'no_reward'];

/** How far a sample is. Read again every second until its last step, or until it was deleted. */
export function useSample(orderId: string) {
  return useQuery({
    queryKey: sampleKey(orderId),
    queryFn: () => read<SampleView>(`/samples/${encodeURIComponent(orderId)}`),
    refetchInterval: ({ state: { data, error } }) => {
      const isDeleted = error instanceof ApiError && error.code === 'not_found';
      return isDeleted || (data && finalSteps.includes(data.step)) ? false : 1_000;
    },
  });
}

/** Ends the hold of the sample's rewards. */
export const useEndHold = (orderId: string) =>
  useChange(
    () => change<SampleView>('POST', `/samples/${encodeURIComponent(orderId)}/end-hold`),
    [sampleKey(orderId)],
  );

/** Publishes the rule of the live side on the test side. */
export const useCopyLiveProgram = () =>
  useChange(() => change<ProgramVersionView>('POST', '/program/copy-live'), [['/program']]);
