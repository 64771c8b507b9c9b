import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { basePathOf, shownMode } from '../app/mode.ts';
import classes from './mode-switch.module.css';

const sides = ['live', 'test'] as const;

/**
 * Leads to the list of the current page on the other side. The links reload the page, so that no data of one side is
 * left on a page of the other, and can be opened in a tab of their own.
 */
export function ModeSwitch() {
  const { t } = useTranslation();
  const [location] = useLocation();
  const list = `/${location.split('/')[1] ?? ''}`;
  return (
    <nav className={classes['switch']} aria-label={t('testSide.switch')}>
      {sides.map((side) => (
        <a
          key={side}
          href={`${basePathOf(side)}${list}`}
          className={`${classes['side']} ${classes[side]}`}
          aria-current={shownMode() === side ? 'true' : undefined}
        >
          {t(`testSide.modes.${side}`)}
        </a>
      ))}
    </nav>
  );
}
