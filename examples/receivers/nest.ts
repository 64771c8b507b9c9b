import 'reflect-metadata';
import { Controller, Module, Post, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { webhookReceiver, type ReceiverRequest, type ReceiverResponse } from '@rewardhook/verify';
import { options } from './receiver-options.mjs';

const receive = webhookReceiver(options);

@Controller('webhooks')
class WebhooksController {
  @Post()
  receive(@Req() request: ReceiverRequest, @Res() response: ReceiverResponse) {
    return receive(request, response);
  }
}

@Module({ controllers: [WebhooksController] })
class AppModule {}

const app = await NestFactory.create(AppModule, { rawBody: true });
await app.listen(8080);
