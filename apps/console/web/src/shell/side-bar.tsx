import { IconBook2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { shownMode } from '../app/mode.ts';
import { useSession } from '../app/session-context.ts';
import { MerchantMenu } from './merchant-menu.tsx';
import { ModeSwitch } from './mode-switch.tsx';
import { navigation, shows } from './navigation.ts';
import { SearchButton } from './search-button.tsx';
import classes from './side-bar.module.css';
import { UserBar } from './user-bar.tsx';

/** The navigation, with the merchant and the search above it and the user below it. The drawer of small screens has no search. */
export function SideBar({ onSearch }: { onSearch?: () => void }) {
  const { t } = useTranslation();
  const { role, merchant } = useSession();
  // The test side has none.
  const problems = shownMode() === 'live' ? merchant.open_problems : 0;
  const [location] = useLocation();
  const isCurrent = (to: string) =>
    to === '/' ? location === '/' : location === to || location.startsWith(`${to}/`);
  return (
    <div className={classes['bar']}>
      <div className={classes['head']}>
        <MerchantMenu />
        <ModeSwitch />
        {onSearch && <SearchButton onClick={onSearch} />}
      </div>
      <nav className={classes['nav']} aria-label={t('shell.navigation')}>
        {navigation.map(({ key, items }) => (
          <div key={key}>
            {key !== 'overview' && <p className={classes['groupName']}>{t(`shell.groups.${key}`)}</p>}
            <ul className={classes['group']}>
              {items
                .filter((item) => shows(role, item))
                .map(({ to, key: item, icon: Icon }) => (
                  <li key={to}>
                    <Link
                      to={to}
                      className={classes['link']}
                      aria-current={isCurrent(to) ? 'page' : undefined}
                    >
                      <Icon size={17} stroke={1.7} aria-hidden />
                      {t(`nav.${item}`)}
                      {item === 'problems' && problems > 0 && (
                        <span className={classes['count']}>{problems}</span>
                      )}
                    </Link>
                  </li>
                ))}
            </ul>
          </div>
        ))}
        <ul className={classes['documents']}>
          <li>
            {/* In a new tab, so that input on this page stays. */}
            <a className={classes['link']} href="/docs" target="_blank" rel="noreferrer">
              <IconBook2 size={17} stroke={1.7} aria-hidden />
              {t('docs.link')}
            </a>
          </li>
        </ul>
      </nav>
      <div className={classes['foot']}>
        <UserBar />
      </div>
    </div>
  );
}
