import { holdsOnlyCopies } from '@rewardhook/pipeline';
import { stageNameOf } from './board-names.ts';

/** The path of the stylesheet, relative to the board. */
export const stylesheetPath = 'refused-actions.css';

/**
 * A stylesheet that hides the buttons whose requests are refused. The board has no option for it but `readOnlyMode`,
 * which would also take away pause, resume and retry. A button is found by its icon, because its text is translated.
 *
 * Buttons that remove jobs are shown only on the pages of queues whose jobs may be removed: not on the overview, where
 * the menu of a queue does not name it.
 */
export function hideRefusedActions(queueNames: string[]): string {
  const removable = queueNames.filter((name) => !holdsOnlyCopies(stageNameOf(name)));
  const pages = removable.map((name) => `header h1[title="${name}"]`);
  const elsewhere = pages.length > 0 ? `body:not(:has(${pages.join(', ')}))` : 'body';
  return [
    '/* Adding, duplicating and changing the content of jobs is refused for every queue. */',
    ...hide(['plus', 'files', 'pencil'], 'body'),
    '/* Removing jobs is refused where they hold the only copy of accepted orders. */',
    ...hide(['trash-2', 'ban'], elsewhere),
    '',
  ].join('\n');
}

/** Hides the entries of menus and the buttons of lists that have one of these icons. */
function hide(icons: string[], within: string): string[] {
  return icons.flatMap((icon) => [
    `${within} [role="menuitem"]:has(> .lucide-${icon}) { display: none; }`,
    `${within} main li:has(> button > .lucide-${icon}) { display: none; }`,
    `${within} main li:has(> span > button > .lucide-${icon}) { display: none; }`,
  ]);
}
