import { notifyOfFailure } from './notify.ts';
import { useErrorSentence } from './use-error-sentence.ts';

/** Tells of the failure of a button that has no room for a notice beside it. */
export function useTellFailure(): (error: Error) => void {
  const sentence = useErrorSentence();
  return (error) => notifyOfFailure(sentence(error));
}
