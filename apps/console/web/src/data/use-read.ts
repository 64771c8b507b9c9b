import { useQuery } from '@tanstack/react-query';
import type { UseQueryOptions } from '@tanstack/react-query';
import type { PageQuery } from '@rewardhook/contract';
import type { AnswerOf } from '../../../src/routes.ts';
import { callRoute, pathOfRoute } from './client.ts';
import type { CallInput, ReadName } from './client.ts';
import { areaOf } from './stale.ts';
import { usePages } from './use-pages.ts';

type ReadOptions<Name extends ReadName> = Pick<
  UseQueryOptions<AnswerOf<Name>>,
  'refetchInterval' | 'staleTime' | 'placeholderData'
>;

type ReadArguments<Name extends ReadName> =
  object extends CallInput<Name>
    ? [input?: CallInput<Name>, options?: ReadOptions<Name>]
    : [input: CallInput<Name>, options?: ReadOptions<Name>];

/** The key of a read in the cache. A change makes all keys stale that begin with the area. */
export const keyOfRead = (route: ReadName, input: object = {}) => [areaOf(pathOfRoute(route)), route, input];

/** Reads one thing. */
export function useRead<Name extends ReadName>(route: Name, ...[input, options]: ReadArguments<Name>) {
  return useQuery({
    queryKey: keyOfRead(route, input),
    queryFn: () => callRoute(route, (input ?? {}) as CallInput<Name>),
    ...options,
  });
}

type RowOf<Answer> = Answer extends { items: (infer Row)[] } ? Row : never;

/** A route that reads a list page by page. */
type ListName = { [Name in ReadName]: AnswerOf<Name> extends { items: unknown[] } ? Name : never }[ReadName];

/** Reads a list page by page. */
export const useList = <Name extends ListName>(
  route: Name,
  filter: Omit<CallInput<Name>, keyof PageQuery> = {} as CallInput<Name>,
  refetchInterval?: number,
) => usePages<RowOf<AnswerOf<Name>>>(pathOfRoute(route), filter, refetchInterval);
