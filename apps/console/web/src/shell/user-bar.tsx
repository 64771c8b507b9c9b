import { IconLogout2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useSendSession } from '../data/session.ts';
import { useSession } from '../app/session-context.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { leave } from '../ui/unsaved-changes.ts';
import { useNotifyFailure } from '../ui/notifications.ts';
import { LanguageSwitch } from './language-switch.tsx';
import { SchemeSwitch } from './scheme-switch.tsx';
import classes from './user-bar.module.css';

/** The signed-in user, with the switches of language and colour scheme and the sign-out. */
export function UserBar() {
  const { t } = useTranslation();
  const { user, role } = useSession();
  const signOut = useSendSession('POST /sign-out');
  const notifyFailure = useNotifyFailure();
  const [, navigate] = useLocation();
  return (
    <div className={classes['bar']}>
      <div className={classes['who']}>
        <span className={classes['email']} title={user.email}>
          {user.email}
        </span>
        <span className={classes['role']}>{t(`roles.${role}`)}</span>
      </div>
      <LanguageSwitch />
      <SchemeSwitch />
      <IconButton
        label={t('shell.signOut')}
        loading={signOut.isPending}
        onClick={() =>
          leave(() =>
            signOut.mutate(undefined, { onSuccess: () => navigate('~/sign-in'), onError: notifyFailure }),
          )
        }
      >
        <IconLogout2 size={17} stroke={1.7} aria-hidden />
      </IconButton>
    </div>
  );
}
