import { notifications } from '@mantine/notifications';

/** Says that something is done; screen readers hear it. */
export function notify(message: string): void {
  notifications.show({ message, color: 'teal', withBorder: true, autoClose: 4_000 });
}
