/** A goal for the value itself, or for its ratio to the reference. */
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
  /** What the value is set beside, measured in the same run. */
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

/** `reached`, or by which factor the goal is missed; empty without a goal. */
export function verdictOf(figure: Figure): string {
  const { goal } = figure;
  if (!goal) return '';
  const measured = goal.of === 'value' ? figure.value : (ratioOf(figure) ?? Number.NaN);
  if (goal.atLeast !== undefined)
    return measured >= goal.atLeast ? 'reached' : `missed: ${percent(measured / goal.atLeast)} of the goal`;
  if (goal.atMost !== undefined)
    return measured <= goal.atMost ? 'reached' : `missed: ${percent(measured / goal.atMost)} of the goal`;
  return '';
}

/** Half the distance between the extremes, as a share of the median: how far to trust the figure. */
export function spreadOf({ value, repetitions }: Figure): number | undefined {
  if (!repetitions || repetitions.length < 2) return undefined;
  return (Math.max(...repetitions) - Math.min(...repetitions)) / 2 / value;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
