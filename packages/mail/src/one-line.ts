/**
 * Text of others as one short line: no control characters, line ends or marks that turn the direction of writing, so
 * that it can neither start a header of its own nor disguise what follows it.
 */
export function oneLine(text: string, maxLength: number): string {
  const line = text
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join('')}…` : line;
}
