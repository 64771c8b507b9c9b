import { webhookReceiver } from '@rewardhook/verify/express';
import express from 'express';
import serverless from 'serverless-http';
import { options } from './receiver-options.mjs';

export const handler = serverless(express().post('/webhooks', webhookReceiver(options)));
