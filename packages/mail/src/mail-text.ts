/** A mail in one language. */
export interface MailSection {
  title: string;
  /** Paragraphs, tables and links, in their order. */
  blocks: (string | [label: string, value: string][] | { link: string; label: string })[];
}

/** Writes a mail in several languages, as plain text and as HTML. All text is escaped. */
export function writeSections(sections: MailSection[]): { text: string; html: string } {
  return {
    text: `${sections.map(asText).join('\n\n----------\n\n')}\n`,
    html: `<!doctype html>\n<html><body>\n${sections.map(asHtml).join('\n<hr>\n')}\n</body></html>\n`,
  };
}

function asText({ title, blocks }: MailSection): string {
  const texts = blocks.map((block) => {
    if (typeof block === 'string') return block;
    if (Array.isArray(block)) return block.map(([label, value]) => `${label}: ${value}`).join('\n');
    return `${block.label}:\n${block.link}`;
  });
  return [title, ...texts].join('\n\n');
}

function asHtml({ title, blocks }: MailSection): string {
  const texts = blocks.map((block) => {
    if (typeof block === 'string') return `<p>${escapeHtml(block)}</p>`;
    if (Array.isArray(block)) return `<table cellpadding="4">${block.map(asHtmlRow).join('')}</table>`;
    const [label, link] = [escapeHtml(block.label), escapeHtml(block.link)];
    return `<p><a href="${link}">${label}</a><br>${link}</p>`;
  });
  return [`<h2>${escapeHtml(title)}</h2>`, ...texts].join('\n');
}

function asHtmlRow([label, value]: [string, string]): string {
  return `<tr><th align="left">${escapeHtml(label)}</th><td>${escapeHtml(value)}</td></tr>`;
}

const entities = new Map<string, string>(
  Object.entries({
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }),
);

/** Escapes text for HTML, including quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities.get(character) ?? '');
}

/**
 * Foreign text as one short line, without control characters, line breaks and characters that change the writing
 * direction: it can neither start a header nor disguise the text after it.
 */
export function oneLine(text: string, maxLength: number): string {
  const line = text
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join('')}…` : line;
}
