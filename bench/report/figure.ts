/** A limit for the value itself, or for its ratio to the reference. */
export interface Goal {
  of: 'value' | 'ratio';
  atLeast?: number;
  atMost?: number;
}

/** One figure of the report. */
export interface Figure {
  section: string;
  name: string;
  value: number;
  unit: string;
  /** The value that it is compared with, measured in the same run. */
  reference?: { name: string; value: number };
  goal?: Goal;
  /** All repetitions; the value is their median. */
  repetitions?: number[];
  note?: string;
}

/** Value over reference; undefined without a reference. */
export function ratioOf({ value, reference }: Figure): number | undefined {
  return reference && value / reference.value;
}

/** `reached`, or the margin by which the limit is missed; empty without a limit. */
export function goalResultOf(figure: Figure): string {
  const { goal } = figure;
  if (!goal) return '';
  const measured = goal.of === 'value' ? figure.value : (ratioOf(figure) ?? Number.NaN);
  if (goal.atLeast !== undefined && !(measured >= goal.atLeast))
    return `missed by ${percent(1 - measured / goal.atLeast)}`;
  if (goal.atMost !== undefined && !(measured <= goal.atMost))
    return `missed by ${percent(measured / goal.atMost - 1)}`;
  return 'reached';
}

/** The precision of the figure: half the distance between the extremes, as a share of the median. */
export function spreadOf({ value, repetitions }: Figure): number | undefined {
  if (!repetitions || repetitions.length < 2 || value === 0) return undefined;
  return (Math.max(...repetitions) - Math.min(...repetitions)) / 2 / value;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
