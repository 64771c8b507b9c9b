import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { projectRoot } from '@rewardhook/testing';
import type { Stack } from '@rewardhook/testing';

/** A merchant made for a measurement. */
export interface Shop {
  merchantId: string;
  secretKey: string;
  signingSecret: string;
}

/** Makes a merchant by the operator's command line. */
export async function openShop(stack: Stack, name: string): Promise<Shop> {
  return admin<Shop>(stack, 'merchant', 'create', '--name', name);
}

/** Registers a webhook URL for rewards. */
export async function addWebhook(stack: Stack, merchantId: string, url: string): Promise<void> {
  const events = 'reward.issue,reward.revoke';
  await admin(stack, 'webhook', 'add', '--merchant', merchantId, '--url', url, '--events', events);
}

async function admin<T>(stack: Stack, ...words: string[]): Promise<T> {
  const program = ['apps/admin/dist/main.js', ...words];
  const options = { cwd: projectRoot, env: { ...process.env, ...stack.environment } };
  const { stdout } = await promisify(execFile)(process.execPath, program, options);
  return JSON.parse(stdout) as T;
}
