import { createServer } from 'node:http';
import express from 'express';
import { listen } from '@rewardhook/process';
import type { Logger } from '@rewardhook/process';
import { waitFor } from '@rewardhook/testing';
import { openAccounts } from '../auth/accounts.ts';
import { requireLogin } from '../auth/require-login.ts';
import { logChanges } from './log-changes.ts';

it('A change is logged with the account and without its password, also when the client does not wait for the answer', async () => {
  const lines: unknown[] = [];
  const log = { info: (message: string, fields: object) => lines.push({ message, ...fields }) };
  const gone = new AbortController();
  const accounts = openAccounts([{ role: 'operator', user: 'ann', password: 'a pass phrase' }]);
  const login = requireLogin(accounts, log as unknown as Logger);
  const app = express().use(login, logChanges(log as unknown as Logger));
  app.put('/answered', (_request, response) => void response.sendStatus(204));
  app.put('/unanswered', () => gone.abort());
  const server = await listen(createServer(app), '127.0.0.1', 0);
  const headers = { authorization: `Basic ${Buffer.from('ann:a pass phrase').toString('base64')}` };
  await fetch(`${server.url}/answered`, { method: 'PUT', headers });
  const options = { method: 'PUT', headers, signal: gone.signal };
  await expect(fetch(`${server.url}/unanswered`, options)).rejects.toThrow();
  await waitFor(() => lines.length === 2, { what: 'two lines' });
  const change = { message: 'change requested', by: 'operator', account: 'ann', method: 'PUT' };
  expect(lines).toMatchObject([
    { ...change, path: '/answered', status: 204 },
    { ...change, path: '/unanswered', status: null },
  ]);
  expect(JSON.stringify(lines)).not.toContain('pass phrase');
  await server.close();
});
