import { useTranslation } from 'react-i18next';
import type { TimingsView } from '../data/types.ts';
import classes from './timing-bar.module.css';
import { useFormat } from './use-format.ts';

const phases = ['dns', 'connect', 'tls', 'first_byte', 'body'] as const;

/** The duration of an attempt by phase. */
export function TimingBar({ timings }: { timings: TimingsView }) {
  const { t } = useTranslation();
  const { milliseconds } = useFormat();
  const known = phases.flatMap((phase) => {
    const ms = timings[`${phase}_ms`];
    return ms === undefined ? [] : [{ phase, ms } as const];
  });
  const rest = timings.total_ms - known.reduce((sum, { ms }) => sum + ms, 0);
  const bars = rest > 0.5 ? [...known, { phase: 'other' as const, ms: rest }] : known;
  return (
    <div>
      <div className={classes['bar']} aria-hidden>
        {bars.map(({ phase, ms }) => (
          <span key={phase} className={classes[phase]} style={{ flexGrow: ms, minWidth: ms > 0 ? 2 : 0 }} />
        ))}
      </div>
      <ul className={classes['legend']} aria-label={t('timings.label')}>
        {bars.map(({ phase, ms }) => (
          <li key={phase}>
            <span className={`${classes['dot']} ${classes[phase]}`} aria-hidden />
            {t(`timings.${phase}`)} <b>{milliseconds(ms)}</b>
          </li>
        ))}
        <li>
          {t('timings.total')} <b>{milliseconds(timings.total_ms)}</b>
        </li>
      </ul>
    </div>
  );
}
