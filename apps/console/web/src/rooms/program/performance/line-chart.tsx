import { useElementSize } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Section } from '../../../ui/section.tsx';
import { useFormat } from '../../../ui/use-format.ts';
import classes from './line-chart.module.css';

interface LineChartProps {
  title: string;
  days: string[];
  /** At most two, whose lines differ by colour and dashes. */
  series: { label: string; values: number[] }[];
  show: (value: number) => string;
}

/** In px. The labels of values are above their grid lines, so that they need no column of their own. */
const height = 200;
const [above, below] = [16, 24];
/** Width of the label of a day, with the space beside it. */
const dayWidth = 56;

/** Values that grow by 1, 2 or 5 times a power of ten, of which four or fewer steps reach the highest value. */
function ticksUpTo(highest: number): number[] {
  const least = Math.max(highest / 4, 1);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= least) ?? least;
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, index) => index * step);
}

/** A value of each day as lines, with the same numbers as a table for screen readers. */
export function LineChart({ title, days, series, show }: LineChartProps) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const { ref, width } = useElementSize();
  const highest = Math.max(...series.flatMap(({ values }) => values));
  const ticks = ticksUpTo(highest);
  const top = ticks.at(-1) ?? 1;
  const x = (index: number) => (index / Math.max(1, days.length - 1)) * width;
  const y = (value: number) => above + (1 - value / top) * (height - above - below);
  const every = Math.ceil(days.length / Math.max(1, Math.floor(width / dayWidth)));
  return (
    <Section title={title}>
      {highest <= 0 ? (
        <EmptyState title={t('performance.charts.empty')} />
      ) : (
        <>
          <div ref={ref} aria-hidden>
            <svg width={width} height={height} className={classes['chart']}>
              {ticks.map((tick) => (
                <g key={tick}>
                  <line x1={0} x2={width} y1={y(tick)} y2={y(tick)} className={classes['grid']} />
                  {tick > 0 && (
                    <text x={0} y={y(tick) - 4}>
                      {number(tick)}
                    </text>
                  )}
                </g>
              ))}
              {days.map(
                (day, index) =>
                  index % every === 0 && (
                    <text
                      key={day}
                      x={x(index)}
                      y={height - 6}
                      textAnchor={index === 0 ? 'start' : x(index) > width - dayWidth / 2 ? 'end' : 'middle'}
                    >
                      {day.slice(5)}
                    </text>
                  ),
              )}
              {series.map(({ label, values }, line) => (
                <polyline
                  key={label}
                  className={classes[line === 0 ? 'first' : 'second']}
                  points={values.map((value, index) => `${x(index)},${y(value)}`).join(' ')}
                />
              ))}
              {days.map((day, index) => (
                <rect
                  key={day}
                  className={classes['day']}
                  x={x(index - 0.5)}
                  y={0}
                  width={x(1)}
                  height={height - below}
                >
                  <title>
                    {[
                      day,
                      ...series.map(({ label, values }) => `${label}: ${show(values[index] ?? 0)}`),
                    ].join('\n')}
                  </title>
                </rect>
              ))}
            </svg>
            {series.length > 1 && (
              <ul className={classes['legend']}>
                {series.map(({ label }, line) => (
                  <li key={label}>
                    <svg width={22} height={8}>
                      <line
                        x1={0}
                        x2={22}
                        y1={4}
                        y2={4}
                        className={classes[line === 0 ? 'first' : 'second']}
                      />
                    </svg>
                    {label}
                  </li>
                ))}
              </ul>
            )}
          </div>
          <div className="visually-hidden">
            <table>
              <caption>{title}</caption>
              <thead>
                <tr>
                  <th scope="col">{t('performance.charts.day')}</th>
                  {series.map(({ label }) => (
                    <th key={label} scope="col">
                      {label}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {days.map((day, index) => (
                  <tr key={day}>
                    <th scope="row">{day}</th>
                    {series.map(({ label, values }) => (
                      <td key={label}>{show(values[index] ?? 0)}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </Section>
  );
}
