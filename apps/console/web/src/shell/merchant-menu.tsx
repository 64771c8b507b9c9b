import { Menu, UnstyledButton } from '@mantine/core';
import { IconCheck, IconSelector } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useSendSession } from '../data/session.ts';
import { useSession } from '../app/session-context.ts';
import { leave } from '../ui/unsaved-changes.ts';
import { useNotifyFailure } from '../ui/notifications.ts';
import { Brand } from './brand.tsx';
import classes from './menu-button.module.css';

/** Shows the current merchant. Users with several merchants can switch here. */
export function MerchantMenu() {
  const { t } = useTranslation();
  const { merchant, merchants } = useSession();
  const choose = useSendSession('POST /session/merchant');
  const notifyFailure = useNotifyFailure();
  const [, navigate] = useLocation();
  if (merchants.length < 2)
    return (
      <div className={classes['plain']}>
        <Brand name={merchant.name} />
      </div>
    );
  return (
    <Menu width={244} position="bottom-start" shadow="md">
      <Menu.Target>
        <UnstyledButton
          className={classes['button']}
          aria-label={t('shell.chooseMerchant', { name: merchant.name })}
        >
          <Brand name={merchant.name} />
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {merchants.map(({ id, name, role }) => (
          <Menu.Item
            key={id}
            onClick={() =>
              leave(() =>
                choose.mutate(
                  { merchant_id: id },
                  { onSuccess: () => navigate('/'), onError: notifyFailure },
                ),
              )
            }
            rightSection={id === merchant.id ? <IconCheck size={15} aria-label={t('shell.chosen')} /> : null}
          >
            {name} · {t(`roles.${role}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
