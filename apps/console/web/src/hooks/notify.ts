import { notifications } from '@mantine/notifications';

/** Says that something is done; screen readers hear it. */
export function notify(message: string): void {
  notifications.show({ message, color: 'teal', withBorder: true, autoClose: 4_000 });
}

/** Says that something could not be done, where there is no room for a notice beside it. */
export function notifyFailed(sentence: string): void {
  notifications.show({ message: sentence, color: 'red', withBorder: true, autoClose: 8_000 });
}
