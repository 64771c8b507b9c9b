/** Texts of the search. */
export const search = {
  search: {
    open: 'Search',
    keys: 'Ctrl K',
    keysOnMac: '⌘ K',
    label: 'Search orders, members, webhooks, pages and documents',
    hint: 'Order, member, code, host, page …',
    kinds: {
      order: 'Orders',
      member: 'Members',
      webhook: 'Webhooks',
      delivery: 'Deliveries',
      event: 'Events',
      page: 'Pages',
      document: 'Documents',
    },
    about: {
      order: 'Member {{about}}',
      member: 'Code {{about}}',
      delivery: 'Event {{about}}',
      event: '{{about}}',
    },
    all: {
      order: 'All orders that begin with “{{text}}”',
      member: 'All members that begin with “{{text}}”',
      webhook: 'All webhooks',
    },
    found_one: '{{count}} result',
    found_other: '{{count}} results',
    nothing: 'Nothing found for “{{text}}”.',
  },
};
