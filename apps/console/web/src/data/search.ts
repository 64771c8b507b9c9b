import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { callRoute } from './client.ts';
import { keyOfRead } from './use-read.ts';

/** The fewest characters that are searched for. */
export const fewestCharacters = 2;

/** What a text means among the data of the shop. Until it is found, the matches of the text before are shown. */
export const useMatches = (text: string, enabled: boolean) =>
  useQuery({
    queryKey: keyOfRead('GET /search', { q: text }),
    // A new letter aborts the request before.
    queryFn: async ({ signal }) => ({ text, kinds: await callRoute('GET /search', { q: text }, signal) }),
    enabled: enabled && text.length >= fewestCharacters,
    placeholderData: keepPreviousData,
  });
