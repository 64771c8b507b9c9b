// Documents, compiled by the build (web/build/documents.ts).
declare module '*.md' {
  const document: import('./document.ts').MarkdownDocument;
  export default document;
}
declare module 'virtual:api-reference/*' {
  const document: import('./document.ts').MarkdownDocument;
  export default document;
}
