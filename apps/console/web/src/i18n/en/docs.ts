/** Texts of the frame of the documents. The documents themselves are Markdown files. */
export const docs = {
  docs: {
    title: 'Rewardhook Docs',
    link: 'Documentation',
    console: 'Console',
    navigation: 'Documents',
    neighbours: 'Previous and next document',
    onThisPage: 'On this page',
    search: 'Search the docs',
    searchHint: 'For example: signature, 429, first_order',
    linkTo: 'Link to “{{heading}}”',
    example: 'Example {{number}} ({{language}})',
    table: 'Table {{number}}',
    reference: {
      lead: 'Every route, field, error and webhook, from the same tables that validate requests. Your installation serves it at /openapi.json. Send requests from your server: a secret key never belongs in a browser.',
    },
    groups: { start: 'Get started', guides: 'Guides', reference: 'Reference' },
    names: {
      quickstart: 'Quickstart',
      'what-to-send': 'What to send when',
      webhooks: 'Receiving webhooks',
      linking: 'Linking members',
      rewards: 'Rewards',
      cli: 'Command line',
      api: 'API',
      'api-reference': 'API reference (OpenAPI)',
      errors: 'Errors and limits',
      versioning: 'Versioning',
      changelog: 'Changelog',
    },
  },
};
