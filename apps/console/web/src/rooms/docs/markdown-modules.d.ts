/** A Markdown document, compiled by the build (web/build/documents.ts). */
declare module '*.md' {
  const document: import('./document.ts').MarkdownDocument;
  export default document;
}
