import { Notifications as MantineNotifications } from '@mantine/notifications';
import '@mantine/notifications/styles.css';

/** Shows what `ui/notifications.ts` announces. */
export function Notifications() {
  return <MantineNotifications position="bottom-right" limit={3} />;
}
