import { createServer } from 'node:http';

// Calls the handler as AWS Lambda does: with the event of a function URL, whose body is base64 unless it is a text.
const { handler } = await import(process.argv[2]);

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const event = {
    version: '2.0',
    headers: request.headers,
    body: Buffer.concat(chunks).toString('base64'),
    isBase64Encoded: true,
    requestContext: { http: { method: request.method, path: request.url } },
    rawPath: request.url,
    rawQueryString: '',
  };
  const { statusCode, headers, body, isBase64Encoded } = await handler(event, {});
  response.writeHead(statusCode, headers).end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
}).listen(8080);
