import { notifications } from '@mantine/notifications';
import { useErrorSentence } from '../data/use-error-sentence.ts';

/** Shows that an action succeeded. Screen readers announce it. */
export function notify(message: string): void {
  notifications.show({ message, color: 'teal', withBorder: true, autoClose: 4_000 });
}

/** Shows that an action failed. For actions without room for an error notice beside them. */
export function notifyFailed(message: string): void {
  notifications.show({ message, color: 'red', withBorder: true, autoClose: 8_000 });
}

/** Returns an error handler that shows the error as a notification. */
export function useNotifyFailure(): (error: Error) => void {
  const sentence = useErrorSentence();
  return (error) => notifyFailed(sentence(error));
}
