import './global-setup.ts';

/** Stops what globalSetup started. */
async function globalTeardown(): Promise<void> {
  await globalThis.rewardhookTestServers?.stop();
}

// Jest wants a default export.
export default globalTeardown;
