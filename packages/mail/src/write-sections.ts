/** What a mail says in one language. */
export interface MailSection {
  title: string;
  /** Paragraphs and tables, in their order. */
  parts: (string | [label: string, value: string][] | { link: string; label: string })[];
}

/** Writes a mail that says the same in several languages, as plain text and as HTML. Everything is escaped. */
export function writeSections(sections: MailSection[]): { text: string; html: string } {
  return {
    text: `${sections.map(asText).join('\n\n----------\n\n')}\n`,
    html: `<!doctype html>\n<html><body>\n${sections.map(asHtml).join('\n<hr>\n')}\n</body></html>\n`,
  };
}

function asText({ title, parts }: MailSection): string {
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part;
    if (Array.isArray(part)) return part.map(([label, value]) => `${label}: ${value}`).join('\n');
    return `${part.label}:\n${part.link}`;
  });
  return [title, ...texts].join('\n\n');
}

function asHtml({ title, parts }: MailSection): string {
  const texts = parts.map((part) => {
    if (typeof part === 'string') return `<p>${escapeHtml(part)}</p>`;
    if (!Array.isArray(part))
      return `<p><a href="${escapeHtml(part.link)}">${escapeHtml(part.label)}</a><br>${escapeHtml(part.link)}</p>`;
    const rows = part.map(
      ([label, value]) => `<tr><th align="left">${escapeHtml(label)}</th><td>${escapeHtml(value)}</td></tr>`,
    );
    return `<table cellpadding="4">${rows.join('')}</table>`;
  });
  return [`<h2>${escapeHtml(title)}</h2>`, ...texts].join('\n');
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand in HTML, also in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
