/** The options of the commands that start the processes. `run.mjs` checks them before it installs anything. */
export const commandOptions = /** @type {const} */ ({
  demo: {
    once: { type: 'boolean', default: false },
    data: { type: 'string' },
    'give-up-after': { type: 'string', default: '300' },
    help: { type: 'boolean', default: false },
  },
  dev: {
    fresh: { type: 'boolean', default: false },
    inspect: { type: 'string' },
    'give-up-after': { type: 'string', default: '300' },
    help: { type: 'boolean', default: false },
  },
  stack: {
    fresh: { type: 'boolean', default: false },
    ports: { type: 'string', default: 'fixed' },
    workers: { type: 'string', default: '' },
    'give-up-after': { type: 'string', default: '300' },
    help: { type: 'boolean', default: false },
  },
});
