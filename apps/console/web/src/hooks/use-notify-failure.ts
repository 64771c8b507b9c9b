import { notifyFailed } from './notify.ts';
import { useErrorSentence } from '../errors/use-error-sentence.ts';

/** Tells of the failure of a button that has no room for a notice beside it. */
export function useNotifyFailure(): (error: Error) => void {
  const sentence = useErrorSentence();
  return (error) => notifyFailed(sentence(error));
}
