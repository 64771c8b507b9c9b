import { createServer } from 'node:http';
import express from 'express';
import { listen } from '@rewardhook/process';
import type { Logger } from '@rewardhook/process';
import { waitFor } from '@rewardhook/testing';
import { logChanges } from './log-changes.ts';

it('A change is logged, also when the client does not wait for the answer', async () => {
  const lines: unknown[] = [];
  const log = { info: (message: string, fields: object) => lines.push({ message, ...fields }) };
  const gone = new AbortController();
  const app = express().use(logChanges(log as unknown as Logger));
  app.put('/answered', (_request, response) => void response.sendStatus(204));
  app.put('/unanswered', () => gone.abort());
  const server = await listen(createServer(app), '127.0.0.1', 0);
  await fetch(`${server.url}/answered`, { method: 'PUT' });
  const options = { method: 'PUT', signal: gone.signal };
  await expect(fetch(`${server.url}/unanswered`, options)).rejects.toThrow();
  await waitFor(() => lines.length === 2, { what: 'two lines' });
  expect(lines).toMatchObject([
    { message: 'change requested', method: 'PUT', path: '/answered', status: 204 },
    { message: 'change requested', method: 'PUT', path: '/unanswered', status: null },
  ]);
  await server.close();
});
